import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { RunningProcess } from '../support/running-process.js'

/** The environment of a user's shell, without variables of npm and of the test runner. */
function usersEnvironment(): NodeJS.ProcessEnv {
  const added = /^(?:npm_(?:package|lifecycle|config_local_prefix)|INIT_CWD$|VITEST|NODE_ENV$)/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !added.test(name)))
}

/** Runs a program to its end, and returns its stdout. The error of a failure has all output. */
export async function run(
  program: string,
  args: readonly string[],
  cwd: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const env = { ...usersEnvironment(), ...variables }
  try {
    const { stdout } = await promisify(execFile)(program, args, { cwd, env })
    return stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    const told = `${program} ${args.join(' ')} failed in ${cwd}:\n${stdout}${stderr}`
    throw new Error(told, { cause: error })
  }
}

/** Starts a program. It is killed with all its children at the end of the test. */
export function start(program: string, args: readonly string[], cwd: string): RunningProcess {
  return new RunningProcess(program, args, { cwd, env: usersEnvironment(), group: true })
}
