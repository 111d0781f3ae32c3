import { builtInScenario, DEFAULT_SCENARIO } from '../../service/scenario/built-in-scenarios.js'
import { Allowance } from './allowance.js'
import { baselineFailure } from './baseline-failure.js'
import { chatsOf, type Chats } from './chats.js'
import { ChosenRuns } from './chosen-runs.js'
import { compareWork } from './crash/compare-work.js'
import { judgeAgain, judgeKill, type UsualWork } from './crash/judge-kill.js'
import type {
  Exploration,
  ExploreFailure,
  ExploreReport,
  Observation,
  RunTrial,
  TrialResult,
  UntriedReason,
} from './exploration.js'
import { ExplorationRecord } from './exploration-record.js'
import { planOf } from './explore-plan.js'
import { SHARE_OF_SHRINKING, shrinkAll } from './failures.js'
import { judge, type Judgment } from './judge.js'
import { DEFAULT_RUNS, DEFAULT_SEED } from './limits.js'
import {
  isEndless,
  plannedBy,
  type DrawnPart,
  type Part,
  type PlanFacts,
  type PlannedRun,
  type PlannedTrial,
} from './part.js'
import { builtInScenarios } from './parts/built-in-scenarios.js'
import { allParts } from './parts/index.js'
import { runInOrder } from './pool.js'
import { Trials, type EndedTrial } from './trials.js'
import { whyUntried } from './untried.js'

/** Once something has failed, the time from here on is for the shrinker. */
const SHARE_OF_FINDING = 0.6

/**
 * Runs the code under test with the scenarios that fit and with faults drawn from the seed. Shrinks what fails.
 *
 * @param options How much to try.
 * @param run Runs the code under test once.
 * @param parts The kinds of runs, in the order of the plan. Default: all.
 * @returns What was tried, and each failure with the smallest scenario that shows it.
 */
export function runExploration(
  options: Exploration,
  run: RunTrial,
  parts: readonly Part[] = allParts,
): Promise<ExploreReport> {
  return new Explorer(options, run, parts).explore()
}

/** Takes the warnings that the code does not get without a fault for mistakes. */
function withNewWarnings(result: TrialResult, baseline: Observation | undefined): TrialResult {
  const { warnings = [] } = result.observed
  if (!baseline || warnings.length === 0) return result
  const usual = new Set(baseline.warnings?.map(({ check }) => check))
  const fresh = warnings.filter(({ check }) => !usual.has(check))
  const findings = [...result.observed.findings, ...fresh]
  return { ...result, observed: { ...result.observed, findings } }
}

class Explorer {
  readonly #options: Exploration
  readonly #chats: Chats
  readonly #chosen: ChosenRuns
  /** Whether runs are compared by what the code makes. */
  readonly #compares: boolean
  readonly #allowance: Allowance
  readonly #seed: number
  readonly #parallel: number
  readonly #trials: Trials
  readonly #record = new ExplorationRecord()
  /** How many runs had a fault, or a kill where kills are wanted. */
  #telling = 0
  #baseline: Observation | undefined
  /** What the code makes without a kill. */
  #usual: UsualWork | undefined
  /** Whether the time was over before all runs. */
  #isCut = false

  constructor(options: Exploration, run: RunTrial, parts: readonly Part[]) {
    this.#options = options
    const own = options.scenarios?.map(({ scenario }) => scenario) ?? []
    this.#chats = chatsOf(options.chats ? [...own, options.chats] : own)
    this.#chosen = new ChosenRuns(parts, options)
    this.#compares = this.#chosen.haveKills
    this.#seed = options.seed ?? DEFAULT_SEED
    this.#parallel = Math.max(1, options.parallel ?? 1)
    this.#allowance = new Allowance(options)
    const common = { chats: this.#chats, seed: this.#seed, allowance: this.#allowance }
    this.#trials = new Trials({ run, ...common })
  }

  explore(): Promise<ExploreReport> {
    return this.#trials.during(this.#options.signal, () => this.#explore())
  }

  async #explore(): Promise<ExploreReport> {
    const stopped = await this.#tryBaseline()
    if (stopped) return stopped
    const listed = this.#listedRuns()
    this.#announce(listed)
    const differs = await this.#tryBaselineAgain()
    if (differs) return differs
    await this.#tryListed(listed)
    for (const part of this.#chosen.drawn) await this.#tryDrawn(part)
    return this.#report(await this.#shrunk())
  }

  /** Runs the code without any fault. Returns the report if it fails. */
  async #tryBaseline(): Promise<ExploreReport | undefined> {
    const tried = await this.#tryWithoutFault(DEFAULT_SCENARIO)
    if (!tried) return this.#report([])
    this.#note(tried, this.#judge(tried))
    this.#baseline = tried.result.observed
    return this.#baselineReport('without any fault', tried.result)
  }

  /** Runs it once more, to know what differs although nothing happens. Returns the report if all differs. */
  async #tryBaselineAgain(): Promise<ExploreReport | undefined> {
    const before = this.#baseline?.work
    if (!this.#compares || !before) return undefined
    const tried = await this.#tryWithoutFault(`${DEFAULT_SCENARIO} again`)
    // Then all that comes later is not tried.
    if (!tried) return undefined
    const { work = before } = tried.result.observed
    const differences = compareWork(before, work)
    const judgment = this.#judge(tried)
    this.#note(tried, judgment.verdict === 'passed' ? judgeAgain(differences) : judgment)
    this.#usual = { work: before, unstable: new Set(differences.map(({ facet }) => facet)) }
    return this.#baselineReport('in a second run without any fault', tried.result)
  }

  async #tryWithoutFault(name: string): Promise<EndedTrial | undefined> {
    const scenario = builtInScenario(DEFAULT_SCENARIO)
    const run = { name, scenario, expects: 'success', compares: this.#compares } as const
    const tried = await this.#trials.try(plannedBy(builtInScenarios, run))
    if (!tried) this.#isCut = true
    return tried
  }

  /** The report on code that fails by itself. Undefined if it does not. */
  #baselineReport(when: string, { took }: TrialResult): ExploreReport | undefined {
    const [group] = this.#record.groups.all
    if (!group) return undefined
    const { scenarios } = this.#options
    const run = { when, took, seed: this.#seed, scenarios, chats: this.#chats }
    return { ...this.#report([baselineFailure(group, run)]), ended: 'baseline' }
  }

  /** The runs with names that fit. Notes why the others are skipped. */
  #listedRuns(): PlannedTrial[] {
    return this.#chosen.listed(this.#known()).flatMap((run) => {
      if (run.unfit === undefined) return plannedBy(run.part, run)
      this.#record.skip([run], run.unfit)
      return []
    })
  }

  /** Says what will be tried. Stops if nothing of it can end in time. */
  #announce(listed: readonly PlannedTrial[]): void {
    const plan = planOf({
      allowance: this.#allowance,
      parallel: this.#parallel,
      took: this.#record.runs[0]!.took,
      named: [...listed, ...this.#chosen.finite(this.#known())],
      isEndless: this.#chosen.areEndless,
      compares: this.#compares,
      jobs: this.#baseline!.created.jobs,
    })
    if (plan === 'no time') this.#trials.stop()
    else if (plan) this.#options.onPlan?.(plan)
  }

  /** Tries the first of the runs with names, and more in place of those in which nothing happened. */
  async #tryListed(listed: readonly PlannedTrial[]): Promise<void> {
    const left = [...listed]
    const hasAllLists = this.#allowance.runs >= DEFAULT_RUNS
    do {
      const fit = left.findIndex(({ part }, at) => {
        const takesAll = part.kind === 'scenario' && part.mayTakeAll === true
        return at >= this.#allowance.roomBefore(takesAll || hasAllLists ? [] : this.#chosen.drawn)
      })
      const batch = left.splice(0, fit === -1 ? left.length : fit)
      if (batch.length === 0) break
      await this.#tryAll(batch)
    } while (!this.#isCut)
    this.#record.skip(left, TOO_FEW_RUNS)
  }

  /** Tries what a part draws, and more in place of runs in which nothing happened: as many again at most. */
  async #tryDrawn(part: DrawnPart): Promise<void> {
    const isKilled = part.kind === 'crashes'
    const later = this.#chosen.drawn.slice(this.#chosen.drawn.indexOf(part) + 1)
    const runs = part.plan(this.#known())[Symbol.iterator]()
    let room = this.#allowance.roomFor(part, later)
    let more = room
    do {
      const { idle } = this.#record
      await this.#tryAll(firstOf(runs, { room, part }), { isKilled })
      room = Math.min(this.#record.idle - idle, more)
      more -= room
    } while (room > 0 && !this.#isCut)
    if (isKilled) this.#record.skip(firstOf(runs, { room: Infinity, part }), TOO_FEW_RUNS_FOR_KILLS)
  }

  #known(): PlanFacts {
    const { scenarios = [], kills } = this.#options
    const problems = this.#record.groups.all.flatMap(({ mistake }) => mistake.problem ?? [])
    return { observed: this.#baseline!, problems, own: scenarios, kills, seed: this.#seed }
  }

  async #tryAll(planned: Iterable<PlannedTrial>, { isKilled = false } = {}): Promise<void> {
    const left = planned[Symbol.iterator]()
    const skip = (name: string, why: string): void => {
      this.#isCut = true
      this.#record.skip([{ name }], this.#isInterrupted ? INTERRUPTED : why)
    }
    await runInOrder(
      { [Symbol.iterator]: () => left },
      {
        parallel: this.#parallel,
        isOver: () => {
          const { elapsed, time } = this.#allowance
          return elapsed >= time * this.#shareOfFinding || !this.#trials.canStart({ isKilled })
        },
        run: (each) => this.#trials.try(each),
        handle: (each, tried) => {
          if (tried) this.#note(tried, this.#judge(tried))
          else skip(each.name, UNFINISHED)
        },
      },
    )
    for (let next = left.next(); next.done !== true; next = left.next()) {
      const { name, part } = next.value
      skip(isEndless(part) ? `${name} and later` : name, NO_TIME)
      if (isEndless(part)) break
    }
  }

  /** A kill is repeated once, and nothing of it can be smaller. */
  get #shareOfFinding(): number {
    const groups = this.#record.groups.all
    if (groups.length === 0) return 1
    const areKills = groups.every(({ planned }) => planned.kill !== undefined)
    return areKills ? SHARE_OF_SHRINKING : SHARE_OF_FINDING
  }

  #judge({ trial, result }: EndedTrial): Judgment {
    if (trial.kill && this.#usual) return judgeKill(trial.kill, result, this.#usual)
    return judge(trial, withNewWarnings(result, this.#baseline), this.#baseline)
  }

  /** Adds a run to the report. */
  #note(ended: EndedTrial, judgment: Judgment): void {
    const run = this.#record.add(ended, judgment)
    if (!run) return
    this.#allowance.take()
    const isTelling = this.#compares ? ended.result.killed === true : run.name !== DEFAULT_SCENARIO
    if (isTelling) this.#telling++
    this.#options.onRun?.(run)
  }

  /** The failures, each with the smallest scenario that shows it. */
  #shrunk(): Promise<ExploreFailure[]> {
    return shrinkAll(this.#record.groups.all, {
      allowance: this.#allowance,
      chats: this.#chats,
      seed: this.#seed,
      parallel: this.#parallel,
      onShrink: this.#options.onShrink,
      canStart: (run) => this.#trials.canStart(run),
      isStopped: () => this.#trials.isStopped(),
      mistakesIn: async (planned) => {
        const tried = await this.#trials.try(planned)
        return tried ? this.#judge(tried).mistakes : []
      },
    })
  }

  get #isInterrupted(): boolean {
    return this.#options.signal?.aborted === true
  }

  get #ended(): ExploreReport['ended'] {
    if (this.#isInterrupted) return 'interrupted'
    return this.#isCut ? 'time' : 'all_runs'
  }

  /** Why runs without a failure show nothing. Undefined if they show something. */
  #untried(): UntriedReason | undefined {
    const { only } = this.#options
    if (this.#telling > 0 || only?.every((name) => name === DEFAULT_SCENARIO)) return undefined
    const { runs, late, idle } = this.#record
    return whyUntried({
      compares: this.#compares,
      isInterrupted: this.#isInterrupted,
      isCut: this.#isCut,
      first: runs[0],
      late,
      idle,
      allowance: this.#allowance,
    })
  }

  #report(failures: readonly ExploreFailure[]): ExploreReport {
    const untried = failures.length === 0 ? this.#untried() : undefined
    const { runs, skipped } = this.#record
    return {
      ...(untried && { untried }),
      seed: this.#seed,
      runs,
      failures,
      skipped,
      ended: this.#ended,
      took: Math.round(this.#allowance.elapsed),
    }
  }
}

const TOO_FEW_RUNS = 'There are too few runs for all scenarios.'
const TOO_FEW_RUNS_FOR_KILLS = 'There are too few runs for all kills.'
const NO_TIME = 'There was no time for it.'
const UNFINISHED = 'It had not ended when the time was over.'
const INTERRUPTED = 'The exploration was interrupted.'

/** The next runs of a part, without ending what plans them. */
function* firstOf(
  runs: Iterator<PlannedRun>,
  { room, part }: { room: number; part: DrawnPart },
): Generator<PlannedTrial> {
  for (let left = room; left > 0; left--) {
    const next = runs.next()
    if (next.done === true) return
    yield plannedBy(part, next.value)
  }
}
