import { usersEnvironment } from '../../.build/release/shell.js'
import { RunningProcess } from '../support/running-process.js'

export { run } from '../../.build/release/shell.js'

/** Starts a program. It is killed with all its children at the end of the test. */
export function start(program: string, args: readonly string[], cwd: string): RunningProcess {
  return new RunningProcess(program, args, { cwd, env: usersEnvironment(), group: true })
}
