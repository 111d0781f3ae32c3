import { onTestFinished } from 'vitest'
import type { Group } from '../../src/cli/command.js'
import type { Settings } from '../../src/cli/options/settings.js'
import { runProgram } from '../../src/cli/program.js'
import { ScenarioError } from '../../src/service/scenario/scenario-error.js'
import type { Paint } from '../../src/cli/terminal.js'
import { UsageError } from '../../src/cli/usage-error.js'

export interface Ran {
  code: number | undefined
  stdout: string
  stderr: string
}

interface Surroundings {
  /** Default: all commands. */
  groups?: readonly Group[]
  environment?: NodeJS.ProcessEnv
  /** The folder of the project. */
  folder?: string
  columns?: number
  /** Gets the settings of an emulator that is served. Default: none may be. */
  serve?: (settings: Settings) => Promise<void>
}

/** Runs a command in this process. A line is split at spaces, as a shell does; `''` is an empty argument. */
export async function run(
  line: string | readonly string[],
  { environment = process.env, columns = 100, serve, ...rest }: Surroundings = {},
): Promise<Ran> {
  const said = { stdout: [] as string[], stderr: [] as string[] }
  const paint: Paint = (_style, text) => text
  const writeError = (text: string): void => void said.stderr.push(text)
  const words = typeof line === 'string' ? wordsOf(line) : line
  const code = await runProgram(words, {
    terminal: {
      write: (text) => void said.stdout.push(text),
      writeError,
      paint,
      errors: { write: writeError, paint },
    },
    environment,
    program: 'npx svtrain-emulator',
    version: '1.2.3',
    columns,
    serve: serve ?? (() => Promise.reject(new Error(`"${words.join(' ')}" serves the emulator`))),
    ...rest,
  })
  return { code, stdout: said.stdout.join('\n'), stderr: said.stderr.join('\n') }
}

function wordsOf(line: string): string[] {
  return line === '' ? [] : line.split(' ').map((word) => (word === "''" ? '' : word))
}

/** Runs a command that is refused, and returns the message and the command whose help it offers. */
export async function refused(
  line: string,
  surroundings?: Surroundings,
): Promise<{ message: string; command?: string }> {
  const error = await run(line, surroundings).catch((caught: unknown) => caught)
  if (error instanceof UsageError) return { message: error.message, command: error.command }
  if (error instanceof ScenarioError) return { message: error.message }
  throw new Error(`"${line}" was accepted`)
}

/** Changes the working directory until the end of the test. */
export function workIn(folder: string): void {
  const before = process.cwd()
  process.chdir(folder)
  onTestFinished(() => process.chdir(before))
}
