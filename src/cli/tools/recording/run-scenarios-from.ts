import { basename, dirname, resolve } from 'node:path'
import { RECORDING_FILE } from '../../../base/text/evidence.js'
import { EmulatorError } from '../../../base/text/emulator-error.js'
import { SDK_KEY } from '../../../base/text/vendor/sdk-variables.js'
import { assertGiven, UsageError } from '../../usage-error.js'
import { printable, printableLines } from '../../terminal.js'
import type { ArgumentsOf, Run } from '../../command.js'
import type { Context } from '../../context.js'
import type { scenariosFrom } from './scenarios-from.js'
import { assertPrivate, missingPath, serviceUrl } from '../../run/service-url.js'
import { missingText } from './missing-text.js'
import { saveScenario, type WrittenScenario } from './written-scenario.js'

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

type Arguments = ArgumentsOf<typeof scenariosFrom>

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
