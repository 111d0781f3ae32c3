import type { ClockMode } from '../base/clock/clock.js'
import { nextTurn, wallNow } from '../base/clock/wall.js'
import { emulatorSinkOptions, type EmulatorSinkOptions } from '../compose/emulator-sink.js'
import type { WebhookSink } from '../compose/create-sink.js'
import { createEmulator, type NodeEmulator } from '../compose/node-emulator.js'
import { nodeEmulatorOptions, type NodeEmulatorOptions } from '../compose/node-runtime.js'
import {
  EXPECTATIONS,
  type ExploredRun,
  type ExploreFailure,
  type ExplorePlan,
  type ExploreReport,
  type OwnScenario,
  type RunTrial,
  type ShrinkStep,
  type Trial,
  type TrialEnd,
  type TrialResult,
} from '../tools/explore/exploration.js'
import { armKill, endJobs, passKill } from '../tools/explore/crash/armed-kill.js'
import { crashKind, crashOptions, formatKill } from '../tools/explore/crash/kill.js'
import { runExploration } from '../tools/explore/explore.js'
import { resultOf } from '../tools/explore/observe.js'
import { Patience } from '../tools/explore/patience.js'
import { formatReport } from '../tools/explore/report.js'
import { checkScenario } from '../service/scenario/check-scenario.js'
import { milliseconds } from '../base/text/duration.js'
import { EmulatorError } from '../base/text/emulator-error.js'
import {
  aDuration,
  anyFunction,
  anyObject,
  checkArgument,
  either,
  aSeed,
  listOf,
  oneOf,
  Options,
  parts,
  required,
  wholeNumber,
} from '../base/text/options.js'
import { endOf, letOthersRun, type RunLimits } from './limited-run.js'
import { Life } from './lives.js'

export type {
  ExploredRun,
  ExploreFailure,
  ExplorePlan,
  ExploreReport,
  OwnScenario,
  ShrinkStep,
  Trial,
  UntriedReason,
  Verdict,
} from '../tools/explore/exploration.js'
export type { Kill } from '../tools/explore/crash/kill.js'

/** The options of `createEmulator` for each run. The exploration sets the others. */
export type ExploredEmulatorOptions = Omit<
  NodeEmulatorOptions,
  'scenario' | 'seed' | 'snapshot' | 'data'
>

/** The options of `explore`. */
export interface ExploreOptions {
  /** How often the code runs: without faults, with each scenario, and with drawn faults. Default: 80. */
  runs?: number
  /** The longest time of everything, what shrinks failures included: `10m`, or milliseconds. Default: ten minutes. */
  time?: string | number
  /**
   * The longest time of one run, in real time. Code that takes longer hangs. The first run may take
   * three times as long, because it loads code. Default: ten seconds, or three times what the first run took.
   */
  timeout?: string | number
  /** The seed of the drawn faults and of each emulator. Default: 1. */
  seed?: number
  /** How many runs there are at once. Your code must then share nothing. Default: 1. */
  parallel?: number
  /** Scenarios of your own to try besides the built-in ones. Their answers of chats hold in each run. */
  scenarios?: readonly OwnScenario[]
  /** Whether each emulator gets a webhook sink, or the options of the sinks. Default: false. */
  sink?: boolean | EmulatorSinkOptions
  /**
   * Kills your code at a few calls of each operation, starts it again, and compares what it made. Nothing else is tried.
   * A list has the kills to try, such as `createRlTrainingJob:2:before`. The clock is then `auto`. Default: false.
   */
  crash?: boolean | readonly string[]
  /** The options of each emulator. Default: none; the clock is `instant`. */
  emulatorOptions?: ExploredEmulatorOptions
  /** Stops the exploration. The report has what was found until then. */
  signal?: AbortSignal
  /** Called when the first run has shown how long a run takes, and so what fits into the time. */
  onPlan?: (plan: ExplorePlan) => void
  /** Called after each run. */
  onRun?: (run: ExploredRun) => void
  /** Called when a smaller scenario is found that still fails. */
  onShrink?: (step: ShrinkStep) => void
}

export const ownScenario = new Options<OwnScenario>('scenarios', {
  scenario: required(anyObject),
  expects: oneOf(...EXPECTATIONS),
})

const {
  scenario: _scenario,
  seed: _seed,
  snapshot: _snapshot,
  data: _data,
  ...ofEmulators
} = nodeEmulatorOptions.table

export const exploredEmulatorOptions = new Options<ExploredEmulatorOptions>(
  'emulatorOptions',
  ofEmulators,
)

export const exploreOptions = new Options<ExploreOptions>('explore', {
  runs: wholeNumber({ least: 1 }),
  time: aDuration,
  timeout: aDuration,
  seed: aSeed,
  parallel: wholeNumber({ least: 1, most: 100 }),
  scenarios: listOf(parts(ownScenario)),
  sink: either((value) => typeof value === 'boolean', parts(emulatorSinkOptions)),
  crash: crashKind,
  emulatorOptions: parts(exploredEmulatorOptions),
  signal: anyObject,
  onPlan: anyFunction,
  onRun: anyFunction,
  onShrink: anyFunction,
})

/** What the code under test gets besides its emulator. */
export interface ExploredWorld {
  /** The sink of the emulator. Undefined without the option `sink`. */
  readonly sink: WebhookSink | undefined
  /** Aborts when the run takes too long, or when the exploration stops. */
  readonly signal: AbortSignal
  /** What is being tried. */
  readonly trial: Trial
  /** What your code stores. It is empty at the first start of a run, and survives a kill. Copy what you put in. */
  readonly state: Map<string, unknown>
}

/** The code under test. */
export type ExploredCode = (emulator: NodeEmulator, world: ExploredWorld) => unknown

/** Thrown by `assertPassed`, with all failures, or if nothing was tried. Code `SVTRAIN_EXPLORE`. */
export class ExploreError extends EmulatorError {
  override readonly name = 'ExploreError'
  readonly code = 'SVTRAIN_EXPLORE'
  /** What was found. */
  readonly report: ExploreReport
  constructor(report: ExploreReport, text: string) {
    super(text)
    this.report = report
  }
}

/** The report of `explore`. */
export class Explored implements ExploreReport {
  /** The seed of the exploration. The same seed tries the same. */
  readonly seed: number
  /** What was tried, and how it went. */
  readonly runs: readonly ExploredRun[]
  /** Each failure, with the smallest scenario that shows it. */
  readonly failures: readonly ExploreFailure[]
  /** The scenarios and kills that were not tried, each with the reason. */
  readonly skipped: ExploreReport['skipped']
  /** Why the runs show nothing: neither a fault nor a kill was tried. Undefined if they show something. */
  readonly untried: ExploreReport['untried']
  /** Why the exploration ended. */
  readonly ended: ExploreReport['ended']
  /** Milliseconds of real time. */
  readonly took: number
  readonly #clock: string

  /** @internal */
  constructor(report: ExploreReport, clock: string) {
    const { seed, runs, failures, skipped, untried, ended, took } = report
    this.#clock = clock
    this.seed = seed
    this.runs = runs
    this.failures = failures
    this.skipped = skipped
    this.untried = untried
    this.ended = ended
    this.took = took
  }

  /** The report as text: a summary, and each failure with its scenario as YAML. */
  get text(): string {
    return formatReport(this, { repeat: (failure) => repeatText(failure, this.#clock) })
  }

  /**
   * Checks that the code passed all runs, and that they tried something.
   *
   * @throws {ExploreError} When it did not. The message has each failure with its scenario.
   * @example
   * const report = await explore(async (emulator) => {
   *   await emulator.fetch(`${emulator.trainingUrl}/health`)
   * })
   * report.assertPassed()
   */
  assertPassed(): void {
    if (this.failures.length > 0 || this.untried) throw new ExploreError(this, this.text)
  }
}

/** How to repeat a failure in code. */
function repeatText({ scenario: { name }, seed, kill }: ExploreFailure, clock: string): string {
  if (kill) return `Repeat it:\nexplore(code, { crash: ['${formatKill(kill)}'], seed: ${seed} })`
  const options = `scenario: await loadScenario('${name}.yaml'), seed: ${seed}, clock: '${clock}'`
  return `Save this as ${name}.yaml, and repeat it:\ncreateEmulator({ ${options} })`
}

/** The clock of each emulator, if the user does not say. Under `instant`, no job is unfinished after a kill. */
function clockOf({ crash = false, emulatorOptions = {} }: ExploreOptions): ClockMode {
  return emulatorOptions.clock ?? (crash === false ? 'instant' : 'auto')
}

/** The longest time of a run if the user names none, in milliseconds. */
const TIMEOUT = 10_000

/**
 * Runs your code against everything that the service can do to it: without faults, with each built-in scenario
 * that fits, and with faults drawn from the seed. Each run gets an emulator of its own. An error that your code
 * throws, code that does not end, and failed client checks are failures.
 *
 * @param code Your code. It gets an emulator, which is closed after the run.
 * @returns What was tried, and the smallest scenario for each failure.
 * @throws {OptionsError} When an option can't be used.
 * @throws {ScenarioError} When a scenario of yours is not valid.
 * @example
 * const report = await explore(
 *   async (emulator) => {
 *     await emulator.listen()
 *     await train({ baseUrl: emulator.trainingUrl })
 *   },
 *   { runs: 100 },
 * )
 * report.assertPassed()
 */
export async function explore(code: ExploredCode, options: ExploreOptions = {}): Promise<Explored> {
  checkArgument('explore', { name: 'its first argument', value: code, kind: anyFunction })
  exploreOptions.check(options)
  for (const { scenario } of options.scenarios ?? []) checkScenario(scenario)
  const { runs, crash = false, time, ...rest } = options
  const exploration = { ...rest, time: time === undefined ? undefined : milliseconds(time) }
  const report = await runExploration(
    { ...exploration, ...crashOptions(crash, runs) },
    runnerOf(code, options),
  )
  return new Explored(report, clockOf(options))
}

function runnerOf(code: ExploredCode, options: ExploreOptions): RunTrial {
  const { sink: wanted = false, emulatorOptions = {}, crash = false } = options
  const { timeout } = options
  const isDefault = timeout === undefined
  const patience = new Patience(milliseconds(timeout ?? TIMEOUT), { isDefault })
  return async (trial, stopping) => {
    const { scenario, seed, compares = false } = trial
    const clock = clockOf(options)
    const emulator = createEmulator({ ...emulatorOptions, clock, scenario, seed })
    emulator.engine.warnings.isQuiet = true
    const leaving = new AbortController()
    const leave = (): void => leaving.abort()
    stopping.addEventListener('abort', leave)
    letOthersRun(emulator, leaving.signal)
    try {
      await emulator.ready()
      const sink = wanted === false ? undefined : emulator.createSink(wanted === true ? {} : wanted)
      const world = { sink, signal: leaving.signal, trial, state: new Map<string, unknown>() }
      const begun = wallNow()
      const run = crash === false ? runOnce : runLives
      const { killed, ...end } = await run(code, {
        emulator,
        world,
        limits: { timeout: patience.limitOf(trial), stopping },
      })
      if (compares && end.ended !== 'timeout') endJobs(emulator.engine)
      const result = await resultOf(emulator, end, { from: begun, compares })
      patience.ended(result)
      return { ...result, killed }
    } finally {
      stopping.removeEventListener('abort', leave)
      leave()
      await emulator.close()
    }
  }
}

interface ExploredRunOf {
  readonly emulator: NodeEmulator
  readonly world: ExploredWorld
  readonly limits: RunLimits
}

type EndOfRun = TrialEnd & Pick<TrialResult, 'killed'>

function runOnce(
  code: ExploredCode,
  { emulator, world, limits }: ExploredRunOf,
): Promise<EndOfRun> {
  return endOf(() => code(emulator, world), limits)
}

/** Runs the code, kills it if the trial says so, and runs it again. */
async function runLives(
  code: ExploredCode,
  { emulator, world, limits }: ExploredRunOf,
): Promise<EndOfRun> {
  const { kill } = world.trial
  const life = new Life(emulator)
  const ending = new AbortController()
  const signal = AbortSignal.any([world.signal, ending.signal])
  const armed = kill && (await armKill(emulator, kill, () => life.kill()))
  const first = await Promise.race([
    endOf(() => code(life.emulator, { ...world, signal }), limits),
    life.killed,
  ])
  armed?.disarm()
  if (!kill || first) return { ...first!, killed: false }
  ending.abort()
  await nextTurn()
  passKill(emulator, kill)
  const next = new Life(emulator)
  return { ...(await endOf(() => code(next.emulator, world), limits)), killed: true }
}
