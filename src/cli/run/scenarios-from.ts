import { writeFile } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import type { MadeScenario } from '../../tools/recording/scenario-from.js'
import { UsageError } from '../usage-error.js'
import { printable, printableLines } from '../terminal.js'
import type { Run } from '../command.js'
import type { scenariosFrom } from '../commands/scenarios-from.js'

export const runCommand: Run<typeof scenariosFrom> = async (args, { terminal, program }) => {
  const { write, writeError } = terminal
  const { recording, to, partial, world, force } = args
  if (to !== undefined && !/\.ya?ml$/i.test(to)) {
    throw new UsageError(`--to takes a file that ends with .yaml, not "${to}".`)
  }
  const { readInput } = await import('../../tools/recording/read-events.js')
  const { scenarioFrom, scenarioFromEvents } =
    await import('../../tools/recording/scenario-from.js')
  const { RecordingError } = await import('../../tools/recording/recording-error.js')
  const name = args.name ?? nameFrom(to ?? recording)
  const named = { source: printable(recording), name }
  let made: MadeScenario
  try {
    const input = await readInput(recording, { world })
    made =
      input.kind === 'events'
        ? scenarioFromEvents(input.events, named)
        : scenarioFrom({ ...named, ...input })
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error
    writeError(printableLines(error.message))
    return 2
  }
  const { text, missing } = made
  if (missing.length > 0) {
    writeError(printableLines(missingText(made, { source: named.source, partial })))
    if (!partial) return 1
  }
  if (to === undefined) {
    write(printableLines(text.trimEnd()))
    return 0
  }
  try {
    await writeFile(to, text, { flag: force ? 'w' : 'wx' })
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') {
      throw new UsageError(`${to} exists already. Choose another file, or replace it with --force.`)
    }
    writeError(`Failed to write ${to}: ${message}.`)
    return 1
  }
  const shown = /[\\/]/.test(to) ? to : `./${to}`
  write(`Wrote ${printable(to)}. Try it: ${program} play ${printable(shown)}`)
  return 0
}

/** Says which jobs a scenario does not know to the end, and what to do about it. */
function missingText(
  { missing }: MadeScenario,
  { source, partial }: { source: string; partial: boolean | undefined },
): string {
  const which = missing.length === 1 ? 'one job' : `${missing.length} jobs`
  const lines = missing.map(({ seen, instead }) => `  ${seen}${partial ? ` ${instead}` : ''}`)
  const shown = [...lines.slice(0, MOST_SHOWN), ...more(lines.length - MOST_SHOWN)]
  const start = `${source} does not show how ${which} ended`
  if (partial) return [`${start}, so the scenario is partial:`, ...shown].join('\n')
  const id = missing.find((each) => each.id !== '')?.id
  const save =
    id === undefined
      ? 'Save its events again when it is over.'
      : `Record again until it is over. Or save its events, which the service still has, and make the scenario from them: GET /v1/preview/training-jobs/${id}/events.`
  return [
    `${start}, so no scenario is written:`,
    ...shown,
    save,
    'With --partial, the scenario is written anyway. Its first lines say what such a job does.',
  ].join('\n')
}

const MOST_SHOWN = 10

function more(count: number): string[] {
  return count > 0 ? [`  … and ${count} more`] : []
}

/** Makes a name from that of a file or a folder: `incident` from `./incident/recording.ndjson`. */
function nameFrom(path: string): string {
  const file = basename(resolve(path))
  const named = file === 'recording.ndjson' ? basename(dirname(resolve(path))) : file
  const name = named
    .replace(/\.(?:ndjson|jsonl?|ya?ml|har|html?)$/i, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return name === '' ? 'recorded' : name
}
