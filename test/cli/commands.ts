import { onTestFinished } from 'vitest'
import type { Group } from '../../src/cli/command.js'
import { runProgram } from '../../src/cli/program.js'
import { ScenarioError } from '../../src/service/scenario/scenario-error.js'
import type { Paint } from '../../src/cli/terminal.js'
import { UsageError } from '../../src/cli/usage-error.js'

export interface Ran {
  code: number | undefined
  stdout: string
  stderr: string
}

/** Runs a command in this process. The line is split at spaces. Default: all commands. */
export async function run(line: string, groups?: readonly Group[]): Promise<Ran> {
  const said = { stdout: [] as string[], stderr: [] as string[] }
  const paint: Paint = (_style, text) => text
  const writeError = (text: string): void => void said.stderr.push(text)
  const code = await runProgram(line.split(' '), {
    terminal: {
      write: (text) => void said.stdout.push(text),
      writeError,
      paint,
      errors: { write: writeError, paint },
    },
    environment: process.env,
    program: 'npx svtrain-emulator',
    version: '1.2.3',
    columns: 100,
    ...(groups && { groups }),
    serve: () => Promise.reject(new Error(`"${line}" serves the emulator`)),
  })
  return { code, stdout: said.stdout.join('\n'), stderr: said.stderr.join('\n') }
}

/** Runs a command that is refused, and returns the message and the command whose help it offers. */
export async function refused(
  line: string,
  groups?: readonly Group[],
): Promise<{ message: string; command?: string }> {
  const error = await run(line, groups).catch((caught: unknown) => caught)
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
