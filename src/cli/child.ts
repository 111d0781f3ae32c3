import { spawn as nodeSpawn } from 'node:child_process'
import { constants } from 'node:os'
import { pid as ownPid } from 'node:process'
import { cancelTimer, startTimer, wallNow, type WallTimer } from '../clock/wall.js'
import { killLeftBehind, MARK } from './kill-orphans.js'

/** After a second signal, so long until what is left is killed. */
const PATIENCE = 2000

const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const

export interface ChildOptions {
  env: Readonly<Record<string, string | undefined>>
  /** Whether a terminal is attached, which sends its signals to the child as well as to us. */
  interactive: boolean
}

/**
 * Runs a command to its end and gives its exit code, as a shell would: 128 and the signal's number
 * where one ended it, 127 where there is no such command. Signals are passed on; nothing that it
 * started stays behind, but off Linux what left its group, or never had one of ours: in a terminal the
 * group is the shell's.
 */
export async function runChild(
  [command = '', ...args]: readonly string[],
  { env, interactive }: ChildOptions,
): Promise<{ code: number; failure?: string }> {
  const spawn = await spawnOf(process.platform)
  // A group of its own can be killed whole, but has no terminal.
  const grouped = !interactive && process.platform !== 'win32'
  const mark = `${ownPid}-${wallNow()}`
  const child = spawn(command, args, {
    env: { ...env, [MARK]: mark },
    stdio: 'inherit',
    detached: grouped,
  })
  const signal = (name: NodeJS.Signals): void => {
    if (child.pid === undefined) return
    try {
      process.kill(grouped ? -child.pid : child.pid, name)
    } catch {
      // It is gone already.
    }
  }
  let timer: WallTimer | undefined
  let received = 0
  const passOn = (name: NodeJS.Signals): void => {
    received++
    const hasIt = interactive && (name === 'SIGINT' || name === 'SIGQUIT')
    if (!hasIt) signal(name)
    if (received === 2) timer = startTimer(PATIENCE, () => signal('SIGKILL'))
  }
  for (const name of PASSED_ON) process.on(name, passOn)
  try {
    return await new Promise((resolve) => {
      child.once('error', (error: NodeJS.ErrnoException) => {
        resolve({ code: error.code === 'ENOENT' ? 127 : 126, failure: error.message })
      })
      child.once('exit', (code, name) => {
        resolve({ code: code ?? 128 + (name === null ? 0 : constants.signals[name]) })
      })
    })
  } finally {
    cancelTimer(timer)
    if (grouped) signal('SIGKILL')
    killLeftBehind(mark)
    for (const name of PASSED_ON) process.off(name, passOn)
  }
}

/**
 * On Windows, Node starts programs only by their full name. `npx` and `npm` are `.cmd` files there, which
 * the command interpreter has to run, with quotes of its own around each argument.
 */
async function spawnOf(platform: NodeJS.Platform): Promise<typeof nodeSpawn> {
  if (platform !== 'win32') return nodeSpawn
  const { default: crossSpawn } = await import('cross-spawn')
  return crossSpawn as typeof nodeSpawn
}
