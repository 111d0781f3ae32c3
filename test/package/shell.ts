import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { RunningProcess } from '../support/running-process.js'

/** What a user's own shell would have set, without what npm and the test runner add to it. */
function usersEnvironment(): NodeJS.ProcessEnv {
  const added = /^(?:npm_(?:package|lifecycle|config_local_prefix)|INIT_CWD$|VITEST|NODE_ENV$)/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !added.test(name)))
}

/** Runs a program to its end and gives what it printed on stdout. A failure tells all it printed. */
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

/** Starts a program and everything that it starts in turn. They end with the test. */
export function start(program: string, args: readonly string[], cwd: string): RunningProcess {
  return new RunningProcess(program, args, { cwd, env: usersEnvironment(), group: true })
}
