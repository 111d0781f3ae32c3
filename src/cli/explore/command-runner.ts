import { cancelTimer, startTimer, wallNow } from '../../base/clock/wall.js'
import type { Emulator } from '../../emulator/emulator.js'
import { observe } from '../../tools/explore/observe.js'
import type { RunTrial, Trial, TrialEnd, TrialResult } from '../../tools/explore/exploration.js'
import { Patience } from '../../tools/explore/patience.js'
import { tracesOf } from '../../emulator/testing/trace.js'
import type { Interception, OpenProxy } from '../../tools/intercept/interception.js'
import { Redactor } from '../../base/text/redaction/redact.js'
import { captureChild } from '../child.js'
import { environmentFor, type Mapping } from '../run/exec-environment.js'
import type { Environment } from '../environment.js'
import type { Settings } from '../options/settings.js'
import { chooseReceiverPort } from '../receiver-port.js'
import { openPorts } from '../serve.js'
import type { Terminal } from '../terminal.js'
import { failureReason } from './failure-reason.js'

/** The command cannot be started, so there is nothing to explore. */
export class CommandError extends Error {
  override readonly name = 'CommandError'
}

/** What a trial left behind, for reports. Secrets are not in it. */
export interface Evidence {
  readonly code: number
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
}

interface Limits {
  readonly signal: AbortSignal
  /** Milliseconds. */
  readonly timeout: number
}

export interface RunnerOptions {
  readonly command: readonly string[]
  readonly settings: Settings
  readonly mappings: readonly Mapping[]
  readonly environment: Environment
  readonly terminal: Terminal
  /** Milliseconds. */
  readonly timeout: number
  /** Leads the command of each trial to its own emulator, although it calls the real hosts. */
  readonly interception?: Interception | undefined
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
  readonly #patience: Patience

  constructor(options: RunnerOptions) {
    this.#options = options
    this.#patience = new Patience(options.timeout)
    const { apiKeys, webhooks } = options.settings
    const secrets = webhooks.flatMap(({ secret }) => secret ?? [])
    this.#redactor = new Redactor({ secrets: [...secrets, ...apiKeys] })
  }

  /** The trials that run now. */
  get running(): Iterable<Trial> {
    return this.#running
  }

  /** The first run, which has no faults. Undefined before it has ended. */
  get baseline(): EndedTrial | undefined {
    return this.#baseline
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
    const ran = await this.#runOnce(trial, { signal, timeout })
    const { result, evidence } = ran
    if (!signal.aborted) this.#baseline ??= ran
    if (Object.keys(result.observed.calls).length > 0) this.#called = true
    this.#patience.ended(result)
    // There may be hundreds of trials of the shrinker, and nobody asks for their output.
    if (trial.kind !== 'shrink') this.#evidence.set(trial.number, evidence)
    return result
  }

  /** Runs a trial with the whole time, as the command `exec` would. */
  repeat(trial: Trial, signal: AbortSignal): Promise<EndedTrial> {
    return this.#runOnce(trial, { signal, timeout: this.#options.timeout })
  }

  /** What a run left behind. */
  evidenceOf(run: number): Evidence | undefined {
    return this.#evidence.get(run)
  }

  /** Forgets what a run left behind, because it passed. */
  forget(run: number): void {
    this.#evidence.delete(run)
  }

  #runOnce(trial: Trial, limits: Limits): Promise<EndedTrial> {
    const running = this.#start(trial, limits)
    this.#ending.add(running)
    const end = (): void => void this.#ending.delete(running)
    running.then(end, end)
    return running
  }

  async #start(trial: Trial, { signal, timeout }: Limits): Promise<EndedTrial> {
    const { command, settings, mappings, environment, terminal, interception } = this.#options
    this.#running.add(trial)
    const { webhooks, port } = await chooseReceiverPort(settings.webhooks, mappings)
    const { emulator, stop } = await openPorts(
      { ...settings, ...FREE_PORTS, seed: trial.seed, webhooks },
      { terminal, log: () => {}, scenario: trial.scenario },
    )
    const stopping = new AbortController()
    let late: TrialTraces | undefined
    const limit = startTimer(timeout, () => {
      // Before the command is stopped, because then nothing hangs any more.
      late = this.#see(emulator)
      stopping.abort()
    })
    let proxy: OpenProxy | undefined
    const start = wallNow()
    try {
      proxy = await interception?.openTo(emulator)
      const intercepted = proxy?.variables
      const ended = await captureChild(command, {
        env: {
          ...environment,
          ...environmentFor(emulator, environment, { mappings, port, intercepted }),
        },
        signal: AbortSignal.any([signal, stopping.signal]),
      })
      const took = wallNow() - start
      if (ended.failure !== undefined) throw new CommandError(ended.failure)
      const { code } = ended
      const stdout = this.#redactor.redact(ended.stdout)
      const stderr = this.#redactor.redact(ended.stderr)
      const { observed, trace, coverage } = late ?? this.#see(emulator)
      const evidence = { code, stdout, stderr, trace }
      const isLate = late !== undefined
      return { evidence, result: { ...endOf(evidence, isLate), took, observed, coverage } }
    } finally {
      cancelTimer(limit)
      this.#running.delete(trial)
      await proxy?.close()
      await stop()
    }
  }

  #see(emulator: Emulator): TrialTraces {
    const trace = this.#redactor.redact(tracesOf(emulator))
    return { observed: observe(emulator), trace, coverage: emulator.coverageTally }
  }
}

interface TrialTraces extends Pick<TrialResult, 'observed' | 'coverage'> {
  readonly trace: string
}

/** Each trial has its own ports. */
const FREE_PORTS = { port: 0, inferencePort: 0, sinkPort: 0, log: 'silent' } as const

function endOf(evidence: Evidence, isLate: boolean): TrialEnd {
  if (isLate) return { ended: 'timeout' }
  if (evidence.code === 0) return { ended: 'success' }
  return { ended: 'error', error: failureReason(evidence) }
}
