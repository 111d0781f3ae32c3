import { execFile } from 'node:child_process'
import { delimiter } from 'node:path'
import { promisify } from 'node:util'

/** The environment of a user's shell, without variables of npm and of the test runner. */
export function usersEnvironment(): NodeJS.ProcessEnv {
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
    const { stdout } = await promisify(execFile)(program, args, { cwd, env, maxBuffer: 2 ** 26 })
    return stdout
  } catch (error) {
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
    const told = `${program} ${args.join(' ')} failed in ${cwd}:\n${stdout}${stderr}`
    throw new Error(told, { cause: error })
  }
}

/** Returns the variables of a shell that finds the programs of a folder first. */
export function pathWith(folder: string | undefined): Record<string, string> {
  if (folder === undefined) return {}
  return { PATH: [folder, process.env.PATH].join(delimiter) }
}
