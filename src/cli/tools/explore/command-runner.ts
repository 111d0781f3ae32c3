import { cancelTimer, startTimer, wallNow } from '../../../base/clock/wall.js'
import type { Emulator } from '../../../emulator/emulator.js'
import { armKill, endJobs, passKill } from '../../../tools/explore/crash/armed-kill.js'
import { ListenError } from '../../../emulator/adapters/bind.js'
import { observe } from '../../../tools/explore/observe.js'
import type { RunTrial, Trial, TrialEnd, TrialResult } from '../../../tools/explore/exploration.js'
import { Patience } from '../../../tools/explore/patience.js'
import { tracesOf } from '../../../emulator/testing/trace.js'
import type { Interception, OpenProxy } from '../../../emulator/intercept/interception.js'
import { Redactor } from '../../../base/text/redaction/redact.js'
import { milliseconds } from '../../../base/text/duration.js'
import { background } from '../../background.js'
import { captureChild, type CapturedEnd } from '../../child.js'
import { environmentFor, type Mapping } from '../../run/exec-environment.js'
import type { Environment } from '../../environment.js'
import type { Settings } from '../../options/settings.js'
import { chooseReceiverPort } from '../../receiver-port.js'
import { openPorts, type ServedEmulator } from '../../serve.js'
import { printable, type Terminal } from '../../terminal.js'
import { DEFAULT_TIMEOUT } from './command-defaults.js'
import { shownOutput } from '../../shown-output.js'
import { failureReason, uncaughtError } from './failure-reason.js'
import { PACE, ProgramStart } from './program-start.js'
import { Slots, type Slot } from './slots.js'
import { copyState, printOf, type StateCopy } from './state-copy.js'
import { Template } from './warm-start.js'

/** The command cannot be started, so there is nothing to explore. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** What a trial left behind, for reports. Secrets are not in it. */
export interface Evidence {
  /** The exit code. Undefined if it was stopped. */
  readonly code: number | undefined
  /** The end of what the command printed. */
  readonly stdout: string
  readonly stderr: string
  /** What happened in the emulator. */
  readonly trace: string
}

/** A trial that ended. */
export interface EndedTrial {
  readonly result: TrialResult
  readonly evidence: Evidence
  /** Whether it was stopped as a copy of a started program, although it had called nothing for a while. */
  readonly isStuckCopy: boolean
}

interface Limits {
  readonly signal: AbortSignal
  /** Milliseconds. */
  readonly timeout: number
}

interface RunLimits extends Limits {
  /** As `RunnerOptions` have it, for this run. */
  readonly isAsIs?: boolean
  /** Whether it is no copy of a started program. */
  readonly isOwn?: boolean
}

interface RunnerOptions {
  readonly command: readonly string[]
  readonly settings: Settings
  readonly mappings: readonly Mapping[]
  readonly environment: Environment
  readonly terminal: Terminal
  /** Milliseconds. Undefined: as the user did not say. */
  readonly timeout: number | undefined
  /** Leads the command of each trial to its own emulator, although it calls the real hosts. */
  readonly interception?: Interception | undefined
  /** The folder that the command stores things in. Each run gets a copy. Undefined: it stores nothing here. */
  readonly state?: string | undefined
  /** Whether its pauses take their full time, and each run starts its process. */
  readonly isAsIs?: boolean | undefined
}

/** Runs a command in trials, each with its own emulator on its own ports. */
export class CommandRunner {
  readonly #options: RunnerOptions
  readonly #redactor: Redactor
  /** By the numbers of their runs. */
  readonly #evidence = new Map<number, Evidence>()
  readonly #running = new Set<Trial>()
  readonly #ending = new Set<Promise<EndedTrial>>()
  #baseline: EndedTrial | undefined
  #called = false
  /** What is in the folder of the state before the first run. */
  readonly #original: string | undefined
  readonly #patience: Patience
  /** Whether copies end as the command does. */
  #trustsCopies = true
  readonly #start: ProgramStart | undefined
  readonly #slots: Slots

  constructor(options: RunnerOptions) {
    this.#options = options
    const { timeout } = options
    const isDefault = timeout === undefined
    this.#patience = new Patience(timeout ?? milliseconds(DEFAULT_TIMEOUT), { isDefault })
    this.#start = options.isAsIs ? undefined : new ProgramStart()
    this.#slots = new Slots(this.#canCopy)
    this.#original = options.state === undefined ? undefined : printOf(options.state)
    const { apiKeys, webhooks } = options.settings
    const secrets = webhooks.flatMap(({ secret }) => secret ?? [])
    this.#redactor = new Redactor({ secrets: [...secrets, ...apiKeys] })
  }

  /** Whether runs can be copies of a program that has started. */
  get #canCopy(): boolean {
    return this.#start !== undefined && Template.canCopy(this.#options.command)
  }

  /** The trials that run now. */
  get running(): Iterable<Trial> {
    return this.#running
  }

  /** The first run, which has no faults. Undefined before it has ended. */
  get baseline(): EndedTrial | undefined {
    return this.#baseline
  }

  /** The most milliseconds of a run. */
  get timeout(): number {
    return this.#patience.timeout
  }

  /** Whether a command called the emulator in any trial. */
  get called(): boolean {
    return this.#called
  }

  /** Resolves when no command runs any more. */
  async idle(): Promise<void> {
    await Promise.allSettled(this.#ending)
  }

  readonly run: RunTrial = async (trial, signal) => {
    const timeout = this.#patience.limitOf(trial)
    const ran = await this.#runAsMeant(trial, { signal, timeout })
    const { result, evidence } = ran
    if (!this.#baseline) this.#checkOriginal()
    if (!signal.aborted) this.#baseline ??= ran
    if (Object.keys(result.observed.calls).length > 0) this.#called = true
    this.#patience.ended(result)
    // There may be hundreds of trials of the shrinker, and nobody asks for their output.
    if (trial.kind !== 'shrink') this.#evidence.set(trial.number, evidence)
    return result
  }

  /** Runs a trial. A copy has no threads of libraries, so one that waits for them runs again as its own process. */
  async #runAsMeant(trial: Trial, limits: Limits): Promise<EndedTrial> {
    const ran = await this.#runOnce(trial, limits)
    if (!ran.isStuckCopy) return ran
    const { writeError } = this.#options.terminal
    const which = `Run ${trial.number} (${printable(trial.name)})`
    writeError(
      `${which} waited for what a copy of a started program lacks, such as a thread: it runs again in a process of its own.`,
    )
    const again = await this.#runOnce(trial, { ...limits, isOwn: true })
    if (again.result.ended === 'timeout' || limits.signal.aborted) return again
    this.#trustsCopies = false
    writeError('That ended, so each later run has a process of its own.')
    return again
  }

  /** Runs a trial with the whole time, as the command `exec` would. */
  repeat(trial: Trial, signal: AbortSignal): Promise<EndedTrial> {
    return this.#runOnce(trial, { signal, timeout: this.timeout, isAsIs: true })
  }

  /** What a run left behind. */
  evidenceOf(run: number): Evidence | undefined {
    return this.#evidence.get(run)
  }

  /** Forgets what a run left behind, because it passed. */
  forget(run: number): void {
    this.#evidence.delete(run)
  }

  /** Ends what runs between the trials, and removes the files. */
  async end(): Promise<void> {
    await this.idle()
    await this.#slots.end()
    this.#start?.end()
  }

  #runOnce(trial: Trial, limits: RunLimits): Promise<EndedTrial> {
    const running = this.#runInSlot(trial, limits)
    this.#ending.add(running)
    const end = (): void => void this.#ending.delete(running)
    running.then(end, end)
    return running
  }

  async #runInSlot(trial: Trial, limits: RunLimits): Promise<EndedTrial> {
    const slot = await this.#slots.take()
    try {
      return await this.#runIn(slot, trial, limits)
    } finally {
      this.#slots.giveBack(slot)
    }
  }

  async #runIn(slot: Slot, trial: Trial, limits: RunLimits): Promise<EndedTrial> {
    const { settings, mappings, environment, interception } = this.#options
    const { kill } = trial
    const isAsIs = limits.isAsIs === true || !this.#start
    this.#running.add(trial)
    const copy = this.#copyFor(slot)
    slot.receiver ??= await chooseReceiverPort(settings.webhooks, mappings)
    const { webhooks, port } = slot.receiver
    const { emulator, stop } = await this.#openPorts(slot, { trial, webhooks })
    let proxy: OpenProxy | undefined
    try {
      // Another program may have taken the port.
      proxy = await interception
        ?.openTo(emulator, slot.ports?.proxy)
        .catch(() => interception.openTo(emulator))
      const intercepted = proxy?.variables
      const own = {
        ...environment,
        ...environmentFor(emulator, environment, { mappings, port, intercepted }),
        ...(copy && { SVTRAIN_STATE: copy.state }),
      }
      const env = isAsIs ? own : { ...own, ...this.#start.variables(own) }
      if (!isAsIs) emulator.engine.clientWaits.retries.pace = PACE
      const cwd = copy?.cwd ?? process.cwd()
      const template =
        isAsIs || limits.isOwn === true
          ? undefined
          : await this.#templateFor(slot, { env, cwd, signal: limits.signal })
      const place = { emulator, trial, env, cwd, template }
      const start = wallNow()
      const killing = new AbortController()
      const armed = kill && (await armKill(emulator, kill, () => killing.abort()))
      const first = await this.#runChild(place, { ...limits, kill: killing.signal })
      armed?.disarm()
      if (!kill || armed?.struck !== true) return this.#ended([first], { ...place, start })
      passKill(emulator, kill)
      const second = await this.#runChild(place, limits)
      return this.#ended([first, second], { ...place, start })
    } finally {
      this.#running.delete(trial)
      await proxy?.close()
      copy?.remove()
      await stop()
    }
  }

  /** Copies the state to where the earlier runs of a slot had theirs. */
  #copyFor(slot: Slot): StateCopy | undefined {
    const { state } = this.#options
    if (state === undefined) return undefined
    const copy = copyState(state, process.cwd(), slot.home)
    slot.home = copy.home
    return copy
  }

  /** Opens the ports of a slot. If another program has one of them, any free ones. */
  async #openPorts(
    { ports }: Slot,
    { trial, webhooks }: { trial: Trial; webhooks: Settings['webhooks'] },
  ): Promise<ServedEmulator> {
    const { settings, terminal } = this.#options
    const open = (chosen: object): Promise<ServedEmulator> => {
      const all = { ...settings, ...FREE_PORTS, ...chosen, seed: trial.seed, webhooks }
      return openPorts(all, { terminal, log: () => {}, scenario: trial.scenario })
    }
    if (!ports) return open({})
    const { proxy: _, ...own } = ports
    return open(own).catch((error: unknown) => {
      if (error instanceof ListenError) return open({})
      throw error
    })
  }

  /** The command, started already. Undefined if it must start as usual. The first run shows whether it can be copied. */
  async #templateFor(
    slot: Slot,
    place: Parameters<typeof Template.open>[1],
  ): Promise<Template | undefined> {
    const canCopy = this.#baseline && this.#trustsCopies && this.#start?.isLoadedByPython
    if (!slot.ports || !canCopy) return undefined
    slot.template ??= Template.open(this.#options.command, place)
    const template = await slot.template
    return template?.fits(place.env, place.cwd) ? template : undefined
  }

  /** Runs the command to its end, or until its time is over. */
  async #runChild(
    { emulator, env, cwd, trial, template }: Place,
    { signal, timeout, kill }: Limits & { kill?: AbortSignal },
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
      late = background.run('see what the command did', () => this.#see(emulator, trial))
      stopping.abort()
    })
    const limit = startTimer(timeout, stop)
    try {
      const signals = AbortSignal.any([signal, stopping.signal])
      const ended = await captureChild(this.#options.command, {
        env,
        cwd,
        signal: signals,
        kill,
        template,
      })
      if (ended.failure !== undefined) throw new CommandError(ended.failure)
      return { ...ended, late, isStuckCopy: watch.isSilent && template !== undefined }
    } finally {
      unwatch()
      cancelTimer(limit)
    }
  }

  /** Puts together what the runs of a command in one trial left behind. */
  #ended(
    runs: readonly ChildRun[],
    { emulator, trial, start }: Place & { start: number },
  ): EndedTrial {
    const took = wallNow() - start
    const { code: given, late, isStuckCopy } = runs.at(-1)!
    const code = late ? undefined : given
    const printed = (stream: 'stdout' | 'stderr', by = runs): string => {
      return this.#redactor.redact(by.map((run) => shownOutput(run[stream])).join(RESTARTED))
    }
    if (trial.compares && !late) endJobs(emulator.engine)
    const { observed, trace } = late ?? this.#see(emulator, trial)
    const evidence = { code, stdout: printed('stdout'), stderr: printed('stderr'), trace }
    const killed = trial.kill && runs.length > 1
    // Why the last run failed.
    const last = runs.slice(-1)
    const shown = { code, stdout: printed('stdout', last), stderr: printed('stderr', last) }
    const end = endOf(shown)
    const isWaiting = observed.pending.length > 0
    return {
      evidence,
      result: { ...end, took, killed, observed },
      isStuckCopy: isStuckCopy && !isWaiting && trial.kind !== 'shrink',
    }
  }

  /** @throws {CommandError} When the command does not use the copies. */
  #checkOriginal(): void {
    const { state } = this.#options
    if (state === undefined || printOf(state) === this.#original) return
    throw new CommandError(
      `it wrote to ${printable(state)} itself, and each run has a copy. Have it read the path of the copy from SVTRAIN_STATE, or name the folder relative to where it runs.`,
    )
  }

  #see(emulator: Emulator, trial: Trial): TrialTraces {
    const { compares } = trial
    const trace = this.#redactor.redact(tracesOf(emulator))
    return {
      observed: observe(emulator, { compares, isProgram: true }),
      trace,
    }
  }
}

/** Where a command runs in a trial. */
interface Place {
  readonly emulator: Emulator
  readonly trial: Trial
  readonly env: Readonly<Record<string, string | undefined>>
  readonly cwd: string
  readonly template: Template | undefined
}

interface ChildRun extends CapturedEnd {
  /** What was seen when its time was over. Undefined if it ended before that. */
  readonly late: TrialTraces | undefined
  /** As of an `EndedTrial`. */
  readonly isStuckCopy: boolean
}

/** Milliseconds without a call after which a copy that did not end may wait for its own threads. */
const SILENCE = 5000

/** Stands between what a command printed before it was killed and after that. */
const RESTARTED = '\n… killed, and started again\n'

interface TrialTraces extends Pick<TrialResult, 'observed'> {
  readonly trace: string
}

/** Each trial has its own ports. */
const FREE_PORTS = { port: 0, inferencePort: 0, sinkPort: 0, log: 'silent' } as const

function endOf({ code, ...printed }: Omit<Evidence, 'trace'>): TrialEnd {
  if (code === undefined) {
    // Threads of a library may keep the process of a program that is over.
    const error = uncaughtError(printed)
    if (error === undefined) return { ended: 'timeout' }
    return { ended: 'error', error: `${error}; its process did not end after that` }
  }
  if (code === 0) return { ended: 'success' }
  return { ended: 'error', error: failureReason({ code, ...printed }) }
}
