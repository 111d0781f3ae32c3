import { cancelTimer, startTimer, wallNow } from '../../../base/clock/wall.js'
import type { Redactor } from '../../../base/text/redaction/redact.js'
import type { Emulator } from '../../../emulator/emulator.js'
import { tracesOf } from '../../../emulator/testing/trace.js'
import { armKill, passKill } from '../../../tools/explore/crash/armed-kill.js'
import type { Trial, TrialResult } from '../../../tools/explore/exploration.js'
import { observe } from '../../../tools/explore/observe.js'
import { background } from '../../background.js'
import { captureChild, type CapturedEnd } from '../../child.js'
import type { Template } from './warm-start.js'

/** The command cannot be started, so there is nothing to explore. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** Where a command runs in a trial. */
export interface TrialPlace {
  readonly command: readonly string[]
  readonly emulator: Emulator
  readonly trial: Trial
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly template: Template | undefined
  /** Takes secrets out of what is kept. */
  readonly redactor: Redactor
}

/** How the command went, once. */
export interface ChildRun extends CapturedEnd {
  /** What was seen when its time was over. Undefined if it ended before that. */
  readonly late: TrialTraces | undefined
  /** Whether it was stopped as a copy of a started program, although it had called nothing for a while. */
  readonly isStuckCopy: boolean
}

/** What happened in the emulator of a trial. */
export interface TrialTraces extends Pick<TrialResult, 'observed'> {
  readonly trace: string
}

export interface TrialLimits {
  readonly signal: AbortSignal
  /** Milliseconds. */
  readonly timeout: number
}

/** Milliseconds without a call after which a copy that did not end may wait for its own threads. */
const SILENCE = 5000

/** Runs the command of a trial. If the trial kills it, it runs once more. */
export async function runsOf(place: TrialPlace, limits: TrialLimits): Promise<ChildRun[]> {
  const { emulator, trial } = place
  const { kill } = trial
  if (!kill) return [await runCommand(place, limits)]
  const killing = new AbortController()
  const armed = await armKill(emulator, kill, () => killing.abort())
  const first = await runCommand(place, { ...limits, kill: killing.signal })
  armed.disarm()
  if (!armed.struck) return [first]
  passKill(emulator, kill)
  return [first, await runCommand(place, limits)]
}

/** Runs the command to its end, or until its time is over. */
async function runCommand(
  { command, emulator, env, cwd, trial, template, redactor }: TrialPlace,
  { signal, timeout, kill }: TrialLimits & { kill?: AbortSignal },
): Promise<ChildRun> {
  const stopping = new AbortController()
  let late: TrialTraces | undefined
  const watch = { called: wallNow(), isSilent: false }
  const unwatch = emulator.journal.subscribe(() => void (watch.called = wallNow()))
  const stop = background.callback('stop the command', () => {
    // A call that gets no answer is why it waits.
    const isAnswered = emulator.engine.delayed.hanging === 0
    watch.isSilent = isAnswered && wallNow() - watch.called > SILENCE
    // Before the command is stopped, because then nothing hangs any more.
    late = background.run('see what the command did', () => tracesIn({ emulator, trial, redactor }))
    stopping.abort()
  })
  const limit = startTimer(timeout, stop)
  try {
    const signals = AbortSignal.any([signal, stopping.signal])
    const ended = await captureChild(command, {
      env,
      cwd,
      signal: signals,
      kill,
      template,
    })
    emulator.webhooks.commandEnded()
    if (ended.failure !== undefined) throw new CommandError(ended.failure)
    return { ...ended, late, isStuckCopy: watch.isSilent && template !== undefined }
  } finally {
    unwatch()
    cancelTimer(limit)
  }
}

/** What a trial shows in its emulator now. */
export function tracesIn({
  emulator,
  trial,
  redactor,
}: Pick<TrialPlace, 'emulator' | 'trial' | 'redactor'>): TrialTraces {
  const { compares } = trial
  const trace = redactor.redact(tracesOf(emulator))
  return {
    observed: observe(emulator, { compares, isProgram: true }),
    trace,
  }
}
