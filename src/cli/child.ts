import type { StdioOptions } from 'node:child_process'
import { cancelTimer, startTimer, type WallTimer } from '../base/clock/wall.js'
import { background } from './background.js'
import { Child, PATIENCE, type ChildEnd, type CopySource } from './child-process.js'
import { OutputTail } from './output-tail.js'

/** Milliseconds between the request to end and the kill of a command that nobody watches. */
const SHORT_PATIENCE = 500

const PASSED_ON = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR2'] as const

export interface ChildOptions {
  env: Readonly<Record<string, string | undefined>>
  /** Whether a terminal is attached. It sends its signals to the child as well as to this process. */
  interactive: boolean
  /** The longest time that it may run, in milliseconds. Default: no limit. */
  timeout?: number | undefined
  /** Called when the time is over, before the command is stopped. */
  onTimeout?: () => void
  /** Whether to keep the end of its stderr, and to pass it on. The command sees no terminal there then. */
  keepsErrors?: boolean
}

/** The exit code of a command that ran too long, as `timeout` has it. */
export const TIMED_OUT = 124

/**
 * Runs a command to its end and passes signals on to it. Then it kills the processes that the command left
 * running. On systems other than Linux, it kills only those in the command's process group, and in a
 * terminal none, because there the group belongs to the shell.
 */
export async function runChild(
  command: readonly string[],
  { env, interactive, timeout, onTimeout, keepsErrors }: ChildOptions,
): Promise<ChildEnd> {
  // A separate process group can be killed as a whole, but cannot use the terminal.
  const child = await Child.create({ grouped: !interactive })
  let timer: WallTimer | undefined
  let limit: WallTimer | undefined
  let received = 0
  const late = { is: false }
  const passOn = background.callback('pass a signal on', (name: NodeJS.Signals) => {
    received++
    const terminalSentIt = interactive && (name === 'SIGINT' || name === 'SIGQUIT')
    if (!terminalSentIt) child.signal(name)
    if (received === 2) timer = startTimer(PATIENCE, () => child.signal('SIGKILL'))
  })
  // Before the command starts: a signal can arrive as soon as the command prints something.
  for (const name of PASSED_ON) process.on(name, passOn)
  if (timeout !== undefined) {
    const stop = background.callback('stop the command', () => {
      late.is = true
      if (onTimeout) background.run('report before the command is stopped', onTimeout)
      child.stop()
    })
    limit = startTimer(timeout, stop)
  }
  try {
    const stderr = keepsErrors
      ? new OutputTail((bytes) => void process.stderr.write(bytes))
      : undefined
    const stdio: StdioOptions = ['inherit', 'inherit', stderr ? 'pipe' : 'inherit']
    const ended = await child.run(command, { env, stdio, ...(stderr && { stderr }) })
    return { ...(late.is ? { code: TIMED_OUT } : ended), ...(stderr && { stderr: stderr.text }) }
  } finally {
    cancelTimer(limit)
    cancelTimer(timer)
    for (const name of PASSED_ON) process.off(name, passOn)
  }
}

/** How a command ended whose output was captured. */
export interface CapturedEnd extends ChildEnd {
  /** The end of what it printed, at most 64 kB of each. */
  stdout: string
  stderr: string
}

export interface CaptureOptions {
  env: Readonly<Record<string, string | undefined>>
  /** Stops the command. */
  signal: AbortSignal
  /** Kills it at once, with all that it started. Default: never. */
  kill?: AbortSignal | undefined
  /** Its working folder. Default: that of this process. */
  cwd?: string | undefined
  /** The command, started already. It is copied. Default: the command is started. */
  template?: CopySource | undefined
}

/**
 * Runs a command to its end without a terminal, and captures what it prints. Stdin is empty. Then it kills
 * the processes that the command left running, as `runChild` does.
 */
export async function captureChild(
  command: readonly string[],
  { env, signal, kill, cwd, template }: CaptureOptions,
): Promise<CapturedEnd> {
  const child = await Child.create({ grouped: true })
  const stdout = new OutputTail()
  const stderr = new OutputTail()
  const stop = background.callback('stop the command', () => child.stop(SHORT_PATIENCE))
  const killNow = background.callback('kill the command', () => child.kill())
  signal.addEventListener('abort', stop)
  kill?.addEventListener('abort', killNow)
  try {
    if (signal.aborted) return { code: TIMED_OUT, stdout: '', stderr: '' }
    const options = { env, cwd, stdout, stderr }
    const copied = template && (await child.runCopy(template, options))
    const stdio: StdioOptions = ['ignore', 'pipe', 'pipe']
    const ended = copied ?? (await child.run(command, { ...options, stdio }))
    return { ...ended, stdout: stdout.text, stderr: stderr.text }
  } finally {
    signal.removeEventListener('abort', stop)
    kill?.removeEventListener('abort', killNow)
  }
}
