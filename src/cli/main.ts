import { ListenError } from '../emulator/adapters/bind.js'
import { ScenarioError } from '../service/scenario/scenario-error.js'
import { COMMAND } from '../base/text/command.js'
import { EmulatorError } from '../base/text/emulator-error.js'
import { version } from '../base/text/version.js'
import { tellBackgroundErrors } from './background.js'
import { scenarioErrorLines } from './report/scenario-problems.js'
import { interruption, printableLines, terminalOf } from './terminal.js'
import type { Settings } from './options/settings.js'
import { runProgram, type ProgramContext } from './program.js'
import { serve } from './serve.js'
import { COLUMNS_OF_FILES } from './text-width.js'
import { UsageError } from './usage-error.js'

interface Start {
  /** What a user types to start this program. Default: `npx svtrain-emulator`, or what pip installs. */
  readonly program?: string
}

/**
 * Runs the program. It exits with 0 when it is stopped, with 1 if it cannot run, and with 2 if the
 * command line, the environment or a scenario cannot be used.
 */
export async function main({ program = COMMAND }: Start = {}): Promise<void> {
  const { argv, env, stdout, stderr } = process
  // A reader of our output may stop reading (`| head`). That is not an error.
  for (const stream of [stdout, stderr]) stream.on('error', () => {})
  const terminal = terminalOf(stdout, stderr, env)
  tellBackgroundErrors(terminal.writeError)
  const code = await runAndTell(argv.slice(2), {
    terminal,
    environment: env,
    program,
    folder: process.cwd(),
    version,
    columns: stdout.isTTY ? stdout.columns : COLUMNS_OF_FILES,
    serve: (settings) => serveUntilInterrupted(settings, { terminal, program }),
  })
  if (code !== undefined) process.exitCode = code
}

type Telling = Pick<ProgramContext, 'terminal' | 'program'>

async function serveUntilInterrupted(settings: Settings, telling: Telling): Promise<void> {
  let interrupted: Promise<void> | undefined
  const interruptedOnce = (): Promise<void> => (interrupted ??= interruption())
  const created = (): void => void interruptedOnce()
  // The first process of a container gets only the signals that it handles.
  if (process.pid === 1) created()
  const stop = await serve(settings, { version, terminal: telling.terminal, created })
  // A signal during the start waits until here, because only now is there all that must be stopped.
  void interruptedOnce()
    .then(stop)
    .then(
      () => process.exit(0),
      (error: unknown) => {
        tell(error, telling)
        process.exit(1)
      },
    )
}

/** Runs the program, and tells the terminal why it cannot run. Returns the exit code, if it has ended. */
export async function runAndTell(
  args: readonly string[],
  context: ProgramContext,
): Promise<number | undefined> {
  try {
    return await runProgram(args, context)
  } catch (error) {
    tell(error, context)
    return error instanceof UsageError || error instanceof ScenarioError ? 2 : 1
  }
}

function tell(error: unknown, { terminal: { writeError, errors }, program }: Telling): void {
  if (error instanceof ScenarioError) scenarioErrorLines(error, errors).forEach(writeError)
  else writeError(printableLines(explain(error, program)))
}

function explain(error: unknown, program: string): string {
  if (error instanceof UsageError) {
    const command = error.command === '' ? '' : ` ${error.command}`
    return `${error.message}\nSee ${program}${command} --help.`
  }
  if (error instanceof ListenError && error.code === 'SVTRAIN_PORT_TAKEN') {
    return `${error.message}\nChoose another port, or leave the option out. The next free port is used then.`
  }
  if (error instanceof EmulatorError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
