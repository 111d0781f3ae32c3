import { writeFile } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import type { MadeScenario } from '../../../tools/recording/scenario-from.js'
import { RECORDING_FILE } from '../../../base/text/evidence.js'
import { EmulatorError } from '../../../base/text/emulator-error.js'
import { SDK_KEY } from '../../../base/text/vendor/sdk-variables.js'
import { assertGiven, UsageError } from '../../usage-error.js'
import { shellWord } from '../../shell-word.js'
import { printable, printableLines } from '../../terminal.js'
import { makeFolderOf } from '../../write-in-folder.js'
import type { ArgumentsOf, Run } from '../../command.js'
import type { Context } from '../../context.js'
import type { scenariosFrom } from './scenarios-from.js'
import { assertPrivate, missingPath, serviceUrl } from '../../run/service-url.js'

export const runCommand: Run<typeof scenariosFrom> = async (args, context) => {
  const { write, writeError } = context.terminal
  const { to, partial, force } = args
  if (to !== undefined && !/\.ya?ml$/i.test(to)) {
    throw new UsageError(`--to takes a file that ends with .yaml, not "${to}".`)
  }
  let made: WrittenScenario
  try {
    made = args.job === undefined ? await fromFile(args) : await fromJob(args.job, args, context)
  } catch (error) {
    // Also of a snapshot, and of a data folder.
    if (!(error instanceof EmulatorError) || error instanceof UsageError) throw error
    writeError(printableLines(error.message))
    return 2
  }
  const { text, missing, losses = [] } = made
  for (const each of losses) writeError(printable(each))
  if (missing.length > 0) {
    writeError(printableLines(missingText(made, { partial })))
    if (!partial) return 1
  }
  if (to === undefined) {
    write(printableLines(text.trimEnd()))
    return 0
  }
  return saveScenario(made, to, { force, context })
}

/**
 * Writes the file of a scenario, and says what to do with it. Returns the exit code.
 *
 * @throws {UsageError} When the file exists, and nobody said that it may be replaced.
 */
async function saveScenario(
  { text, scenario, seed, again, clock = 'instant' }: WrittenScenario,
  to: string,
  {
    force,
    context,
  }: { force: boolean | undefined; context: Pick<Context, 'terminal' | 'program'> },
): Promise<number> {
  const { terminal, program } = context
  const { write, writeError } = terminal
  let also: string
  try {
    also = await makeFolderOf(to)
    await writeFile(to, text, { flag: force ? 'w' : 'wx' })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') {
      throw new UsageError(`${to} exists already. Choose another file, or replace it with --force.`)
    }
    writeError(printable(`Failed to write ${to}: ${message}.`))
    return 1
  }
  const file = printable(shellWord(/[\\/]/.test(to) ? to : `./${to}`))
  const seeded = seed === undefined ? file : `${file} --seed ${seed}`
  write(`Wrote ${printable(to)}.${also} Try it: ${program} play ${seeded}`)
  // Its webhooks have no addresses.
  const sink = scenario.webhooks.some(({ url }) => url === undefined) ? ' --sink' : ''
  const test = printable(again ?? `--clock ${clock}${sink} -- <your test>`)
  write(`Then run your test with it: ${program} exec --scenario ${seeded} ${test}`)
  return 0
}

type Arguments = ArgumentsOf<typeof scenariosFrom>

/** A scenario to write, and where it comes from. */
interface WrittenScenario
  extends
    Pick<MadeScenario, 'text' | 'scenario' | 'missing'>,
    Partial<Pick<MadeScenario, 'losses' | 'clock'>> {
  readonly source: string
  /** Whether it is a job of the service. */
  readonly isJob?: boolean
  /** How to save the file again. Default: record until it is over. */
  readonly advice?: string | undefined
  /** The seed with which the same happens again. Undefined: any. */
  readonly seed?: number
  /** The command of the run that it comes from. */
  readonly again?: string | undefined
}

async function fromFile(args: Arguments): Promise<WrittenScenario> {
  const { recording, to, world, url } = args
  if (url !== undefined) throw new UsageError('--url is for --job; none was given.')
  assertGiven(recording, 'scenarios from takes a file or --job')
  const { readInput } = await import('../../../tools/recording/read-events.js')
  const { scenarioFrom } = await import('../../../tools/recording/scenario-from.js')
  const { scenarioFromEvents } = await import('../../../tools/recording/scenario-from-job.js')
  const source = printable(recording)
  const named = { source, name: args.name ?? nameFrom(to ?? recording) }
  const input = await readInput(recording, { world })
  if (input.kind === 'played') {
    const { writePlayed } = await import('../../../tools/recording/read-played.js')
    const { scenario, losses = [], seed, again } = input
    const text = writePlayed(input, { source, name: args.name })
    return { text, scenario, missing: [], losses, source, seed, again }
  }
  // The emulator knows which calls took effect.
  const made =
    input.kind === 'events'
      ? scenarioFromEvents(input.events, named)
      : scenarioFrom({
          ...named,
          ...input,
          lostTookEffect: args['lost-took-effect'] && input.jobs === undefined,
        })
  const isUnread = input.kind === 'har' && made.missing.some((each) => each.isUnread)
  const { SAVE_CONTENTS } = await import('../../../tools/recording/unfinished-jobs.js')
  // No service has the jobs of a report: an emulator invented them.
  const isOwn = input.kind !== 'events' && input.clock !== undefined
  const advice = isOwn ? 'Write the file again when it is over.' : undefined
  return { ...made, source, again: input.again, advice: isUnread ? SAVE_CONTENTS : advice }
}

/** The variables that may have the API key of the service. */
const KEY_VARIABLES = ['SVTRAIN_API_KEY', SDK_KEY]

async function fromJob(
  id: string,
  args: Arguments,
  { environment, terminal }: Pick<Context, 'environment' | 'terminal'>,
): Promise<WrittenScenario> {
  const { to, recording, world } = args
  if (recording !== undefined) {
    throw new UsageError(
      `scenarios from takes a file or --job, not both: "${recording}" and --job.`,
    )
  }
  if (world !== undefined) throw new UsageError('--world is for files; --job has no worlds.')
  assertGiven(args.url, '--job takes the base URL of the service as --url')
  const url = serviceUrl('url', args.url)
  assertPrivate('url', url)
  for (const each of missingPath('url', url)) terminal.writeError(printable(each))
  const { LOCAL_API_KEY } = await import('../../../emulator/local-key.js')
  // The key of an emulator may be set beside that of the service.
  const set = KEY_VARIABLES.filter((each) => (environment[each] ?? '') !== '')
  const keyName = set.find((each) => environment[each] !== LOCAL_API_KEY) ?? set[0]
  if (keyName === undefined) {
    throw new UsageError(
      `--job needs your API key of the service. Set ${KEY_VARIABLES.join(' or ')}, which is never printed.`,
    )
  }
  const { fetchJob } = await import('../../../tools/recording/fetch-job.js')
  const { dispatcherFor } = await import('../../../tools/recording/proxy.js')
  const { scenarioFromJob } = await import('../../../tools/recording/scenario-from-job.js')
  const { fetch } = await import('undici')
  const dispatcher = await dispatcherFor([url])
  const send = ((target: string, init: object) => fetch(target, { ...init, dispatcher })) as never
  try {
    const job = await fetchJob({ id, url, key: environment[keyName]!, keyName, fetch: send })
    const made = scenarioFromJob(job, args.name ?? nameFrom(to ?? `job-${id.slice(0, 8)}`))
    return { ...made, source: `Job ${printable(id)}`, isJob: true }
  } finally {
    await dispatcher.close()
  }
}

/** Says which jobs a scenario does not know to the end, and what to do about it. */
function missingText(
  { missing, source, isJob = false, advice }: WrittenScenario,
  { partial }: { partial: boolean | undefined },
): string {
  const which = missing.length === 1 ? 'one job' : `${missing.length} jobs`
  const lines = missing.map(({ seen, instead }) => `  ${seen}${partial ? ` ${instead}` : ''}`)
  const shown = [...lines.slice(0, MOST_SHOWN), ...more(lines.length - MOST_SHOWN)]
  const start = isJob ? `${source} is not over` : `${source} does not show how ${which} ended`
  if (partial) {
    return [`${start}, so the scenario is partial:`, ...shown, advice ?? []].flat().join('\n')
  }
  const save = isJob ? 'Run the command again when it is over.' : (advice ?? saveText(missing))
  const partially = 'the scenario is written anyway. Its first lines say what such a job does.'
  const stopped = missing.find((each) => each.stopped !== undefined)?.stopped
  return [
    `${start}, so no scenario is written:`,
    ...shown,
    // A client that stopped early stops there the next time, too.
    ...(stopped === undefined
      ? [save, `With --partial, ${partially}`]
      : [`The client stopped after a call that ${stopped}: add --partial, and ${partially}`, save]),
  ].join('\n')
}

function saveText(missing: MadeScenario['missing']): string {
  const id = missing.find((each) => each.id !== '')?.id
  return id === undefined
    ? 'Save its events again when it is over.'
    : `Record again until it is over. Or read the job from a service that still has it: scenarios from --job ${shellWord(id)} --url <URL of the training API>.`
}

const MOST_SHOWN = 10

function more(count: number): string[] {
  return count > 0 ? [`  … and ${count} more`] : []
}

/** Makes a name from that of a file or a folder: `incident` from `./incident/recording.ndjson`. */
function nameFrom(path: string): string {
  const file = basename(resolve(path))
  const named = file === RECORDING_FILE ? basename(dirname(resolve(path))) : file
  const name = named
    .replace(/\.(?:ndjson|jsonl?|ya?ml|har|html?)$/i, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return name === '' ? 'recorded' : name
}
