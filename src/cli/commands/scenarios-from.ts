import { writeFile } from 'node:fs/promises'
import { basename, dirname, resolve } from 'node:path'
import { UsageError } from '../usage-error.js'
import { printable, printableLines } from '../terminal.js'
import type { Run } from '../context.js'

interface Arguments {
  recording: string
  name: string | undefined
  to: string | undefined
  force: boolean | undefined
}

export const scenariosFrom: Run<Arguments> = async (args, { terminal }) => {
  const { write, writeError } = terminal
  const { recording, to, force } = args
  if (to !== undefined && !/\.ya?ml$/i.test(to)) {
    throw new UsageError(`--to takes a file that ends with .yaml, not "${to}".`)
  }
  const { readInput } = await import('../../recording/read-events.js')
  const { scenarioFrom, scenarioFromEvents } = await import('../../recording/scenario-from.js')
  const { RecordingError } = await import('../../recording/recording-error.js')
  const name = args.name ?? nameFrom(to ?? recording)
  const named = { source: printable(recording), name }
  let text: string
  try {
    const input = await readInput(recording)
    const made =
      input.kind === 'events'
        ? scenarioFromEvents(input.events, named)
        : scenarioFrom({ ...named, recorded: input.recorded, contents: input.contents })
    text = made.text
  } catch (error) {
    if (!(error instanceof RecordingError)) throw error
    writeError(printableLines(error.message))
    return 2
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
  write(`Wrote ${printable(to)}. Try it: svtrain-emulator play ${printable(shown)}`)
  return 0
}

/** Makes a name from that of a file or a folder: `incident` from `./incident/recording.ndjson`. */
function nameFrom(path: string): string {
  const file = basename(resolve(path))
  const named = file === 'recording.ndjson' ? basename(dirname(resolve(path))) : file
  const name = named
    .replace(/\.(?:ndjson|jsonl?|ya?ml)$/i, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
  return name === '' ? 'recorded' : name
}
