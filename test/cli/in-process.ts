import { runAndTell, USUAL_COLUMNS } from '../../src/cli/main.js'
import { terminalOf } from '../../src/cli/terminal.js'
import { version } from '../../src/base/text/version.js'
import type { CommandOptions } from './command.js'

/** How a command ended. */
export interface Ended {
  code: number
  stdout: string
  stderr: string
}

/**
 * Runs a command to its end in the process of the test, as `Command` runs it in its own. Meanwhile, the test
 * has the folder and the variables of the command. So only one may run at a time.
 */
export async function endedInProcess(
  args: readonly string[],
  { cwd, env = {} }: CommandOptions & { cwd: string },
): Promise<Ended> {
  const folder = process.cwd()
  const variables = { ...process.env }
  const { PATH } = process.env
  const said = { stdout: '', stderr: '' }
  process.chdir(cwd)
  setVariables({ PATH, ...env })
  try {
    const code = await runAndTell(args, {
      terminal: terminalOf(streamInto(said, 'stdout'), streamInto(said, 'stderr'), process.env),
      environment: process.env,
      program: 'npx svtrain-emulator',
      version,
      columns: USUAL_COLUMNS,
      serve: () => Promise.reject(new Error(`"${args.join(' ')}" serves the emulator`)),
    })
    // A process that sets no exit code ends with 0.
    return { code: code ?? 0, ...said }
  } finally {
    setVariables(variables)
    process.chdir(folder)
  }
}

type Said = Record<'stdout' | 'stderr', string>

/** A file, not a terminal. */
function streamInto(said: Said, name: keyof Said): Parameters<typeof terminalOf>[0] {
  const write = (text: string | Uint8Array): boolean => {
    said[name] += String(text)
    return true
  }
  return { write, isTTY: false, columns: 0, rows: 0 }
}

/** Replaces all variables of the process. */
function setVariables(variables: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) delete process.env[name]
  for (const [name, value] of Object.entries(variables)) {
    if (value !== undefined) process.env[name] = value
  }
}
