import { ListenError } from '../emulator/adapters/bind.js'
import { ScenarioError } from '../service/scenario/scenario-error.js'
import { COMMAND } from '../base/text/command.js'
import { EmulatorError } from '../base/text/emulator-error.js'
import { version } from '../base/text/version.js'
import { tellBackgroundErrors } from './background.js'
import { scenarioErrorLines } from './report/scenario-problems.js'
import { interruption, printableLines, terminalOf, type Terminal } from './terminal.js'
import type { Settings } from './options/settings.js'
import { runProgram, type ProgramContext } from './program.js'
import { serve } from './serve.js'
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
  const serveUntilInterrupted = async (settings: Settings): Promise<void> => {
    const stops: (() => Promise<void>)[] = []
    const untilInterrupted = (): void =>
      void interruption()
        .then(() => Promise.all(stops.map((stop) => stop())))
        .then(
          () => process.exit(0),
          (error: unknown) => {
            tell(error, terminal)
            process.exit(1)
          },
        )
    // The first process of a container gets only the signals that it handles.
    const isFirst = process.pid === 1
    if (isFirst) untilInterrupted()
    const created = isFirst ? undefined : untilInterrupted
    stops.push(await serve(settings, { version, terminal, created }))
  }
  const code = await runAndTell(argv.slice(2), {
    terminal,
    environment: env,
    program,
    folder: process.cwd(),
    version,
    columns: stdout.isTTY ? stdout.columns : USUAL_COLUMNS,
    serve: serveUntilInterrupted,
  })
  if (code !== undefined) process.exitCode = code
}

/** Runs the program, and tells the terminal why it cannot run. Returns the exit code, if it has ended. */
export async function runAndTell(
  args: readonly string[],
  context: ProgramContext,
): Promise<number | undefined> {
  try {
    return await runProgram(args, context)
  } catch (error) {
    tell(error, context.terminal)
    return error instanceof UsageError || error instanceof ScenarioError ? 2 : 1
  }
}

/** The width of the help if stdout is not a terminal. */
export const USUAL_COLUMNS = 100

function tell(error: unknown, { writeError, errors }: Terminal): void {
  if (error instanceof ScenarioError) scenarioErrorLines(error, errors).forEach(writeError)
  else writeError(printableLines(explain(error)))
}

function explain(error: unknown): string {
  if (error instanceof UsageError) {
    const command = error.command === '' ? '' : ` ${error.command}`
    return `${error.message}\nSee svtrain-emulator${command} --help.`
  }
  if (error instanceof ListenError && error.code === 'SVTRAIN_PORT_TAKEN') {
    return `${error.message}\nChoose another port, or leave the option out. The next free port is used then.`
  }
  if (error instanceof EmulatorError) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
