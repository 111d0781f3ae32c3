import { writeFile } from 'node:fs/promises'
import { stdin } from 'node:process'
import type { Emulator } from '../../emulator/emulator.js'
import { runChild } from '../child.js'
import { settingsFrom, type serveOptions, type ValuesOf } from '../options.js'
import { pendingIn, pendingText } from '../../testing/pending.js'
import { traceOf } from '../../testing/trace.js'
import { printable, printableLines, type Terminal } from '../terminal.js'
import { requestLog } from '../request-log.js'
import { openPorts } from '../serve.js'
import { UsageError } from '../usage-error.js'
import type { Run } from '../context.js'
import { assertKnown, environmentFor, proxyExceptions, type Mapping } from './exec-environment.js'

type Arguments = ValuesOf<typeof serveOptions> & {
  env: Mapping[] | undefined
  trace: string | undefined
  /** The command and its arguments. */
  '--'?: readonly string[]
}

/** Runs a command with its own emulator, and exits as the command does. */
export const exec: Run<Arguments> = async (args, { terminal, environment }) => {
  const { env: mappings = [], trace, '--': command = [] } = args
  if (command.length === 0) {
    throw new UsageError('exec takes a command after two dashes: exec -- pytest -x')
  }
  const settings = settingsFrom(args)
  assertKnown(mappings, settings)
  const { port = 0, inferencePort = 0, sinkPort = 0 } = settings
  const { log = 'silent' } = args
  // Stdout belongs to the command.
  const aside: Terminal = { ...terminal, write: terminal.writeError }
  const { emulator, stop } = await openPorts(
    { ...settings, port, inferencePort, sinkPort, log },
    aside,
  )
  emulator.journal.subscribe(requestLog(log, aside))
  try {
    const ran = await runChild(command, {
      env: {
        ...environment,
        ...proxyExceptions(emulator, environment),
        ...environmentFor(emulator, mappings),
      },
      interactive: stdin.isTTY,
    })
    if (ran.failure !== undefined)
      terminal.writeError(`Failed to run ${printable(command[0]!)}: ${ran.failure}`)
    else if (ran.code !== 0) await report(emulator, { command, code: ran.code, trace }, aside)
    return ran.code
  } finally {
    await stop()
  }
}

interface Failed {
  command: readonly string[]
  code: number
  trace: string | undefined
}

/** Prints what is still pending and what happened before. */
async function report(
  emulator: Emulator,
  { command, code, trace }: Failed,
  { write, paint }: Terminal,
): Promise<void> {
  write('')
  write(paint('bold', `${printable(command[0]!)} exited with code ${code}.`))
  write(printableLines(pendingText(pendingIn(emulator), emulator)))
  if (trace === undefined) return write(printableLines(traceOf(emulator)))
  try {
    await writeFile(trace, `${traceOf(emulator, { most: Infinity })}\n`)
    write(`Wrote the trace to ${printable(trace)}.`)
  } catch (error) {
    write(`Failed to write the trace: ${printable((error as Error).message)}`)
    write(printableLines(traceOf(emulator)))
  }
}
