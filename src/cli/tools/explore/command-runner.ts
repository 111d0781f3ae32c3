import { wallNow } from '../../../base/clock/wall.js'
import { milliseconds } from '../../../base/text/duration.js'
import { Redactor } from '../../../base/text/redaction/redact.js'
import type { Interception } from '../../../emulator/intercept/interception.js'
import type { RunTrial, Trial } from '../../../tools/explore/exploration.js'
import { Patience } from '../../../tools/explore/patience.js'
import type { Environment } from '../../environment.js'
import type { Settings } from '../../options/settings.js'
import { chooseReceiverPort } from '../../receiver-port.js'
import { environmentFor, secretsOfCommand, type Mapping } from '../../run/exec-environment.js'
import { openPorts } from '../../serve.js'
import { printable, type Terminal } from '../../terminal.js'
import { DEFAULT_TIMEOUT } from './command-defaults.js'
import { endedTrial, type EndedTrial, type Evidence } from './ended-trial.js'
import { PACE, ProgramStart } from './program-start.js'
import { copyStateIn, openPortsOf, Slots, type Slot } from './slots.js'
import { printOf } from './state-copy.js'
import { CommandError, runsOf, type TrialLimits } from './trial-run.js'
import { Template } from './warm-start.js'

interface RunLimits extends TrialLimits {
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
    const { timeout, environment, mappings } = options
    const isDefault = timeout === undefined
    this.#patience = new Patience(timeout ?? milliseconds(DEFAULT_TIMEOUT), { isDefault })
    this.#start = options.isAsIs ? undefined : new ProgramStart()
    this.#slots = new Slots(this.#canCopy)
    this.#original = options.state === undefined ? undefined : printOf(options.state)
    const { apiKeys, webhooks } = options.settings
    const secrets = webhooks.flatMap(({ secret }) => secret ?? [])
    const ofUser = secretsOfCommand(environment, mappings)
    this.#redactor = new Redactor({ secrets: [...secrets, ...apiKeys, ...ofUser] })
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
  async #runAsMeant(trial: Trial, limits: TrialLimits): Promise<EndedTrial> {
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
    const { command } = this.#options
    /** Undoes what was opened for the run. The last comes first. */
    const ends: (() => unknown)[] = [() => this.#running.delete(trial)]
    this.#running.add(trial)
    try {
      const { emulator, variables, cwd } = await this.#open(slot, trial, ends)
      const quick = limits.isAsIs === true ? undefined : this.#start
      const env = quick ? { ...variables, ...quick.variables(variables) } : variables
      if (quick) emulator.engine.clientWaits.retries.pace = PACE
      const template =
        quick && limits.isOwn !== true
          ? await this.#templateFor(slot, { env, cwd, signal: limits.signal })
          : undefined
      const place = { command, emulator, trial, env, cwd, template, redactor: this.#redactor }
      const start = wallNow()
      return endedTrial(await runsOf(place, limits), { ...place, start })
    } finally {
      for (const end of ends.toReversed()) await end()
    }
  }

  /** Opens an emulator for a run, with a copy of the state, and with a proxy if real hosts are answered. */
  async #open(slot: Slot, { seed, scenario }: Trial, ends: (() => unknown)[]) {
    const { settings, mappings, environment, interception, state, terminal } = this.#options
    slot.receiver ??= await chooseReceiverPort(settings.webhooks, mappings)
    const { webhooks, port } = slot.receiver
    const { emulator, stop } = await openPortsOf(slot, (ports) => {
      const all = { ...settings, ...FREE_PORTS, ...ports, seed, webhooks }
      return openPorts(all, { terminal, log: () => {}, scenario })
    })
    ends.push(stop)
    const copy = state === undefined ? undefined : copyStateIn(slot, state)
    if (copy) ends.push(copy.remove)
    // Another program may have taken the port.
    const proxy = await interception
      ?.openTo(emulator, slot.ports?.proxyPort)
      .catch(() => interception.openTo(emulator))
    if (proxy) ends.push(() => proxy.close())
    const variables = {
      ...environment,
      ...environmentFor(emulator, environment, { mappings, port, intercepted: proxy?.variables }),
      ...(copy && { SVTRAIN_STATE: copy.state }),
    }
    return { emulator, variables, cwd: copy?.cwd ?? process.cwd() }
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

  /** @throws {CommandError} When the command does not use the copies. */
  #checkOriginal(): void {
    const { state } = this.#options
    if (state === undefined || printOf(state) === this.#original) return
    throw new CommandError(
      `it wrote to ${printable(state)} itself, and each run has a copy. Have it read the path of the copy from SVTRAIN_STATE, or name the folder relative to where it runs.`,
    )
  }
}

/** Each trial has its own ports. */
const FREE_PORTS = { port: 0, inferencePort: 0, sinkPort: 0, log: 'silent' } as const
