import { writeFile } from 'node:fs/promises'
import { stdin } from 'node:process'
import { wallNow } from '../../clock/wall.js'
import type { Emulator } from '../../emulator/emulator.js'
import { runChild } from '../child.js'
import { settingsFrom, type serveOptions, type ValuesOf } from '../options.js'
import { tracesOf } from '../../testing/trace.js'
import { failedTraceLines, failureLines, type FailedRun } from '../report/failure-report.js'
import { reproduction } from '../report/reproduction.js'
import { printable, type Output } from '../terminal.js'
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
  const { errors } = terminal
  const logged = requestLog(log, errors)
  const { emulator, stop } = await openPorts(
    { ...settings, port, inferencePort, sinkPort, log },
    { terminal, log: logged },
  )
  const { journal, seed } = emulator
  journal.subscribe((entry) => logged(entry, { journal }))
  const start = wallNow()
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
    else if (ran.code !== 0) {
      const took = wallNow() - start
      const again = reproduction(args, seed)
      await report(emulator, { command, code: ran.code, took, again, trace }, errors)
    }
    return ran.code
  } finally {
    await stop()
  }
}

interface Failed extends FailedRun {
  trace: string | undefined
}

/** Prints what failed and how to reproduce it, then what is still pending and what happened before. */
async function report(
  emulator: Emulator,
  { trace, ...failed }: Failed,
  output: Output,
): Promise<void> {
  const { write } = output
  write('')
  failureLines(emulator, failed, output).forEach(write)
  if (trace !== undefined) {
    try {
      await writeFile(trace, `${tracesOf(emulator, { most: Infinity })}\n`)
      return write(`Wrote the trace to ${printable(trace)}.`)
    } catch (error) {
      write(`Failed to write the trace: ${printable((error as Error).message)}`)
    }
  }
  failedTraceLines(emulator, output).forEach(write)
}
