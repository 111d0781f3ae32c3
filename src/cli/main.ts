import { ListenError } from '../adapters/listen.js'
import { ScenarioError } from '../scenario-error.js'
import { version } from '../version.js'
import { painterFor } from './paint.js'
import { parse } from './parse.js'
import { serve, type Terminal } from './serve.js'
import { UsageError } from './usage-error.js'

/** The command: exits with 0 when stopped, 1 where it cannot run, 2 where it was asked wrongly. */
export async function main(): Promise<void> {
  const { argv, env, stdout, stderr } = process
  // Whoever reads our output may stop reading (`| head`); that is no reason to fall over.
  stdout.on('error', () => {})
  const terminal: Terminal = {
    write: (line) => void stdout.write(`${line}\n`),
    writeError: (line) => void stderr.write(`${line}\n`),
    paint: painterFor(stdout, env),
  }
  try {
    const parsed = await parse(argv.slice(2), env, version)
    if (parsed.kind === 'text') return terminal.write(parsed.text)
    stopOnSignal(await serve(parsed.settings, { version, terminal }))
  } catch (error) {
    terminal.writeError(explain(error))
    process.exitCode = error instanceof UsageError || error instanceof ScenarioError ? 2 : 1
  }
}

/** The first Ctrl-C stops cleanly; further ones, while that is under way, change nothing. */
function stopOnSignal(stop: () => Promise<void>): void {
  let stopping = false
  const onSignal = (): void => {
    if (stopping) return
    stopping = true
    void stop().then(() => process.exit(0))
  }
  process.on('SIGINT', onSignal)
  process.on('SIGTERM', onSignal)
}

function explain(error: unknown): string {
  if (error instanceof UsageError) return `${error.message}\nSee svtrain-emulator --help.`
  if (error instanceof ListenError && error.code === 'SVTRAIN_PORT_TAKEN') {
    return `${error.message}\nChoose another with --port or --inference-port; left out, the next free one is used.`
  }
  if (error instanceof ScenarioError || error instanceof ListenError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
