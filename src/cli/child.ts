import { spawn as nodeSpawn } from 'node:child_process'
import { constants } from 'node:os'
import { pid as ownPid } from 'node:process'
import { cancelTimer, startTimer, wallNow, type WallTimer } from '../clock/wall.js'
import { killOrphans, MARK } from './kill-orphans.js'

/** Milliseconds between a second signal and the kill. */
const PATIENCE = 2000

const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const

export interface ChildOptions {
  env: Readonly<Record<string, string | undefined>>
  /** Whether a terminal is attached. It sends its signals to the child as well as to this process. */
  interactive: boolean
}

/**
 * Runs a command to its end and passes signals on to it. Then it kills the processes that the command left
 * running. On systems other than Linux, it kills only those in the command's process group, and in a
 * terminal none, because there the group belongs to the shell.
 *
 * @returns The exit code, as in a shell: 128 plus the number of the signal that ended the command, 127 if
 *   there is no such command.
 */
export async function runChild(
  [command = '', ...args]: readonly string[],
  { env, interactive }: ChildOptions,
): Promise<{ code: number; failure?: string }> {
  const spawn = await spawnOf(process.platform)
  // A separate process group can be killed as a whole, but cannot use the terminal.
  const grouped = !interactive && process.platform !== 'win32'
  const mark = `${ownPid}-${wallNow()}`
  const signal = (name: NodeJS.Signals): void => {
    if (child.pid === undefined) return
    try {
      process.kill(grouped ? -child.pid : child.pid, name)
    } catch {
      // It has ended already.
    }
  }
  let timer: WallTimer | undefined
  let received = 0
  const passOn = (name: NodeJS.Signals): void => {
    received++
    const terminalSentIt = interactive && (name === 'SIGINT' || name === 'SIGQUIT')
    if (!terminalSentIt) signal(name)
    if (received === 2) timer = startTimer(PATIENCE, () => signal('SIGKILL'))
  }
  // Before the command starts: a signal can arrive as soon as the command prints something.
  for (const name of PASSED_ON) process.on(name, passOn)
  const child = spawn(command, args, {
    env: { ...env, [MARK]: mark },
    stdio: 'inherit',
    detached: grouped,
  })
  try {
    return await new Promise((resolve) => {
      child.once('error', (error: NodeJS.ErrnoException) => {
        resolve(
          error.code === 'ENOENT'
            ? { code: 127, failure: 'there is no such command. Check the name and the PATH.' }
            : { code: 126, failure: `${error.message}.` },
        )
      })
      child.once('exit', (code, name) => {
        resolve({ code: code ?? 128 + (name === null ? 0 : constants.signals[name]) })
      })
    })
  } finally {
    cancelTimer(timer)
    if (grouped) signal('SIGKILL')
    killOrphans(mark)
    for (const name of PASSED_ON) process.off(name, passOn)
  }
}

/**
 * On Windows, Node starts programs only by their full name. `npx` and `npm` are `.cmd` files there, which
 * need the command interpreter and its quoting rules.
 */
async function spawnOf(platform: NodeJS.Platform): Promise<typeof nodeSpawn> {
  if (platform !== 'win32') return nodeSpawn
  const { default: crossSpawn } = await import('cross-spawn')
  return crossSpawn as typeof nodeSpawn
}
