import { usersEnvironment } from '../../.build/release/shell.js'
import { RunningProcess } from '../support/running-process.js'

export { run } from '../../.build/release/shell.js'

/** Two builds at once take 10 s on an idle machine, and more than a minute beside all the other tests of the gate. */
const PATIENCE = 110_000

/** Starts a program. It is killed with all its children at the end of the test. */
export function start(program: string, args: readonly string[], cwd: string): RunningProcess {
  const env = usersEnvironment()
  return new RunningProcess(program, args, { cwd, env, group: true, patience: PATIENCE })
}
