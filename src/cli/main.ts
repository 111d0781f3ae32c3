import { DataFolderError } from '../adapters/data-folder-error.js'
import { ListenError } from '../adapters/listen.js'
import { ScenarioError } from '../scenario/scenario-error.js'
import { SnapshotError } from '../emulator/snapshot.js'
import { version } from '../text/version.js'
import { runCommand } from './commands/dispatch.js'
import { interruption } from './interruption.js'
import { parse } from './parse.js'
import { printableLines } from './printable.js'
import { serve } from './serve.js'
import { terminalOf } from './terminal.js'
import { UsageError } from './usage-error.js'

/** The command: exits with 0 when stopped, 1 where it cannot run, 2 where it was asked wrongly. */
export async function main(): Promise<void> {
  const { argv, env, stdout, stderr } = process
  // Whoever reads our output may stop reading (`| head`); that is no reason to fall over.
  for (const stream of [stdout, stderr]) stream.on('error', () => {})
  const terminal = terminalOf(stdout, stderr, env)
  try {
    const code = await runCommand(argv.slice(2), terminal)
    if (code !== undefined) {
      process.exitCode = code
      return
    }
    const parsed = await parse(argv.slice(2), env, version)
    if (parsed.kind === 'text') return terminal.write(parsed.text)
    const stops: (() => Promise<void>)[] = []
    // Before anything is said, for what reads our banner may be quick to interrupt.
    void interruption()
      .then(() => Promise.all(stops.map((stop) => stop())))
      .then(
        () => process.exit(0),
        (error: unknown) => {
          terminal.writeError(printableLines(explain(error)))
          process.exit(1)
        },
      )
    stops.push(await serve(parsed.settings, { version, terminal }))
  } catch (error) {
    terminal.writeError(printableLines(explain(error)))
    process.exitCode = error instanceof UsageError || error instanceof ScenarioError ? 2 : 1
  }
}

function explain(error: unknown): string {
  if (error instanceof UsageError) {
    const command = error.command === '' ? '' : ` ${error.command}`
    return `${error.message}\nSee svtrain-emulator${command} --help.`
  }
  if (error instanceof ListenError && error.code === 'SVTRAIN_PORT_TAKEN') {
    return `${error.message}\nChoose another with --port or --inference-port; left out, the next free one is used.`
  }
  const told = [ScenarioError, ListenError, DataFolderError, SnapshotError]
  if (told.some((kind) => error instanceof kind)) return (error as Error).message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
