import { cancelTimer, startTimer } from '../../base/clock/wall.js'
import { builtInScenario, DEFAULT_SCENARIO } from '../../service/scenario/built-in-scenarios.js'
import { compactScenarioText } from '../../service/scenario/scenario-text.js'
import { Allowance } from './allowance.js'
import { chatsOf, withChats, type Chats } from './chats.js'
import type {
  Exploration,
  ExploredRun,
  ExploreFailure,
  ExploreReport,
  Observation,
  RunTrial,
  Trial,
  TrialResult,
  UntriedReason,
} from './exploration.js'
import { roundDuration } from '../../base/text/duration.js'
import { compareWork } from './crash/compare-work.js'
import { DEFAULT_RUNS, DEFAULT_SEED } from './limits.js'
import { BASELINE, failureOf, SHARE_OF_SHRINKING, shrinkAll } from './failures.js'
import { Groups } from './groups.js'
import { judgeAgain, judgeKill, type UsualWork } from './crash/judge-kill.js'
import { judge, type Judgment } from './judge.js'
import {
  isEndless,
  plannedBy,
  type DrawnPart,
  type ListedPart,
  type Part,
  type PlanFacts,
  type PlannedRun,
  type PlannedTrial,
} from './part.js'
import { builtInScenarios } from './parts/built-in-scenarios.js'
import { allParts, drawnIn } from './parts/index.js'
import { runInOrder } from './pool.js'
import { findsOf, mostTellingFirst } from './ranking.js'
import { whyUntried } from './untried.js'

/** Once something has failed, the time from here on is for the shrinker. */
const SHARE_OF_FINDING = 0.6
/** How many runs a plan names. */
const MOST_NAMED = 5

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
  readonly #run: RunTrial
  readonly #parts: readonly Part[]
  /** Those that the user chose. */
  readonly #drawn: readonly DrawnPart[]
  /** Whether runs are compared by what the code makes. */
  readonly #compares: boolean
  readonly #allowance: Allowance
  readonly #seed: number
  readonly #parallel: number
  readonly #stopping = new AbortController()
  readonly #explored: ExploredRun[] = []
  readonly #groups = new Groups()
  readonly #skipped: ExploreReport['skipped'][number][] = []
  /** The first run that gave up on something, and that its time stopped. */
  #late: ExploreReport['skipped'][number] | undefined
  #trials = 0
  /** How many runs there were in which nothing happened. They take none of the number that is wanted. */
  #idle = 0
  /** How many runs had a fault, or a kill where kills are wanted. */
  #telling = 0
  #baseline: Observation | undefined
  /** What the code makes without a kill. */
  #usual: UsualWork | undefined
  #isCut = false

  constructor(options: Exploration, run: RunTrial, parts: readonly Part[]) {
    this.#options = options
    const own = options.scenarios?.map(({ scenario }) => scenario) ?? []
    this.#chats = chatsOf(options.chats ? [...own, options.chats] : own)
    this.#run = run
    this.#parts = parts
    this.#drawn = drawnIn(parts).filter(({ kind, isOptional }) => {
      return isOptional === true ? options.only?.includes(kind) === true : this.#isChosen(kind)
    })
    this.#compares = this.#drawn.some(({ kind }) => kind === 'crashes')
    this.#seed = options.seed ?? DEFAULT_SEED
    this.#parallel = Math.max(1, options.parallel ?? 1)
    this.#allowance = new Allowance(options)
  }

  async explore(): Promise<ExploreReport> {
    const { signal } = this.#options
    const stop = (): void => this.#stopping.abort()
    signal?.addEventListener('abort', stop)
    if (signal?.aborted === true) stop()
    const timer = startTimer(this.#allowance.time, stop)
    try {
      return await this.#explore()
    } finally {
      cancelTimer(timer)
      signal?.removeEventListener('abort', stop)
      stop()
    }
  }

  async #explore(): Promise<ExploreReport> {
    const stopped = await this.#tryBaseline()
    if (stopped) return stopped
    const listed = this.#listedRuns()
    this.#announce(listed)
    const differs = await this.#tryBaselineAgain()
    if (differs) return differs
    await this.#tryListed(listed)
    for (const part of this.#drawn) await this.#tryDrawn(part)
    return this.#report(await this.#shrunk())
  }

  /** Runs the code without any fault. Returns the report if it fails. */
  async #tryBaseline(): Promise<ExploreReport | undefined> {
    const tried = await this.#tryWithoutFault(DEFAULT_SCENARIO)
    if (!tried) return this.#report([])
    this.#note(tried)
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
    const judgment = tried.judgment.verdict === 'passed' ? judgeAgain(differences) : tried.judgment
    this.#note({ ...tried, judgment })
    this.#usual = { work: before, unstable: new Set(differences.map(({ facet }) => facet)) }
    return this.#baselineReport('in a second run without any fault', tried.result)
  }

  async #tryWithoutFault(name: string): Promise<TrialOutcome | undefined> {
    const scenario = builtInScenario(DEFAULT_SCENARIO)
    const run = { name, scenario, expects: 'success', compares: this.#compares } as const
    const tried = await this.#try(plannedBy(builtInScenarios, run))
    if (!tried) this.#isCut = true
    return tried
  }

  /** The report on code that fails by itself. Undefined if it does not. */
  #baselineReport(when: string, { took }: TrialResult): ExploreReport | undefined {
    const [group] = this.#groups.all
    if (!group) return undefined
    const { title, reason, verdict } = group.mistake
    const seconds = (took / 1000).toFixed(1)
    const limit = `. It was stopped after ${seconds} s, the longest time of this run`
    const failure: ExploreFailure = {
      ...failureOf(group, { scenario: BASELINE, seed: this.#seed }),
      title: `${when}: ${title}`,
      reason: `${verdict === 'hung' ? reason + limit : reason}${this.#inForce()}`,
      yaml: compactScenarioText(BASELINE),
      shrinking: { trials: 0, finished: true },
    }
    return { ...this.#report([failure]), ended: 'baseline' }
  }

  /** Which scenarios of the user were in force in a run without a fault. */
  #inForce(): string {
    const { scenarios = [] } = this.#options
    if (scenarios.length === 0) return ''
    const names = scenarios.map(({ scenario: { name } }) => `"${name}"`).join(', ')
    const has = Object.keys(this.#chats).length > 0
    return has
      ? `. In force was what ${names} says about answers of chats, and nothing else of it`
      : `. Nothing of ${names} was in force: it says nothing about answers of chats`
  }

  /** The runs with names that fit. Notes why the others are skipped. */
  #listedRuns(): PlannedTrial[] {
    const { only } = this.#options
    const listed: PlannedTrial[] = []
    for (const each of this.#inOrder()) {
      const { part, name, unfit } = each
      const reason = only ? undefined : unfit
      if (reason === undefined) listed.push(plannedBy(part, each))
      else this.#skipped.push({ name, reason })
    }
    return listed
  }

  /** Tries the first of the runs with names, and more in place of those in which nothing happened. */
  async #tryListed(listed: readonly PlannedTrial[]): Promise<void> {
    const left = [...listed]
    const hasAllLists = this.#allowance.runs >= DEFAULT_RUNS
    do {
      const fit = left.findIndex(({ part }, at) => {
        const takesAll = part.kind === 'scenario' && part.mayTakeAll === true
        return at >= this.#allowance.roomBefore(takesAll || hasAllLists ? [] : this.#drawn)
      })
      const batch = left.splice(0, fit === -1 ? left.length : fit)
      if (batch.length === 0) break
      await this.#tryAll(batch)
    } while (!this.#isCut)
    this.#skipped.push(...left.map(({ name }) => ({ name, reason: TOO_FEW_RUNS })))
  }

  /** The runs with names that the user chose: those of the user, then the most telling ones. */
  #inOrder(): (PlannedRun & { part: ListedPart })[] {
    const runs = this.#parts.flatMap((part) => {
      if (part.kind !== 'scenario') return []
      const planned = [...part.plan(this.#known())].filter(({ name }) => this.#isChosen(name))
      return planned.map((run) => ({ ...run, part }))
    })
    const isFirst = ({ part }: { part: ListedPart }): boolean => part.mayTakeAll === true
    const others = runs.filter((run) => !isFirst(run))
    return [...runs.filter(isFirst), ...mostTellingFirst(others)]
  }

  /** Says what will be tried. Stops if nothing of it can end in time. */
  #announce(listed: readonly PlannedTrial[]): void {
    const again = this.#compares ? 1 : 0
    const left = Math.max(0, this.#allowance.left - again)
    const drawn = this.#drawn
      .filter((part) => !isEndless(part))
      .flatMap((part) => {
        return [...part.plan(this.#known())].map((run) => plannedBy(part, run))
      })
    const runs = [...listed, ...drawn].slice(0, left)
    const planned = this.#drawn.some(isEndless) ? left : runs.length
    if (planned === 0) return
    const { time, elapsed } = this.#allowance
    const room = time - elapsed - again * this.#allowance.expected()
    const next = this.#allowance.expected({ isKilled: runs[0]?.kill !== undefined })
    // The first run may be the slow one: it imports. So if there is a second one, it decides.
    if (this.#compares ? room < 0 : next > room) return this.#stopping.abort()
    this.#options.onPlan?.({
      took: this.#explored[0]!.took,
      time,
      planned,
      fits: Math.min(planned, Math.max(1, Math.floor(room / next)) * this.#parallel),
      first: runs.slice(0, MOST_NAMED).map(({ name }) => {
        const finds = findsOf(name)
        return { name, ...(finds !== undefined && { finds }) }
      }),
      ...(this.#compares && this.#baseline?.created.jobs === 1 && { limit: ONE_JOB }),
    })
  }

  /** Tries what a part draws, and more in place of runs in which nothing happened: as many again at most. */
  async #tryDrawn(part: DrawnPart): Promise<void> {
    const isKilled = part.kind === 'crashes'
    const later = this.#drawn.slice(this.#drawn.indexOf(part) + 1)
    const runs = part.plan(this.#known())[Symbol.iterator]()
    let room = this.#allowance.roomFor(part, later)
    let more = room
    do {
      const idle = this.#idle
      await this.#tryAll(firstOf(runs, { room, part }), { isKilled })
      room = Math.min(this.#idle - idle, more)
      more -= room
    } while (room > 0 && !this.#isCut)
    if (!isKilled) return
    for (const { name } of firstOf(runs, { room: Infinity, part })) {
      this.#skipped.push({ name, reason: TOO_FEW_RUNS_FOR_KILLS })
    }
  }

  #known(): PlanFacts {
    const { scenarios = [], kills } = this.#options
    const problems = this.#groups.all.flatMap(({ mistake }) => mistake.problem ?? [])
    return { observed: this.#baseline!, problems, own: scenarios, kills, seed: this.#seed }
  }

  #isChosen(name: string): boolean {
    const { only, skip } = this.#options
    return (only?.includes(name) ?? true) && skip?.includes(name) !== true
  }

  async #tryAll(planned: Iterable<PlannedTrial>, { isKilled = false } = {}): Promise<void> {
    const left = planned[Symbol.iterator]()
    const reason = (why: string): string => (this.#isInterrupted ? INTERRUPTED : why)
    const notTried: { name: string; reason: string }[] = []
    await runInOrder(
      { [Symbol.iterator]: () => left },
      {
        parallel: this.#parallel,
        isOver: () => {
          const { elapsed, time } = this.#allowance
          return elapsed >= time * this.#shareOfFinding || !this.#canStart({ isKilled })
        },
        run: (each) => this.#try(each),
        handle: (each, tried) => {
          if (tried) this.#note(tried)
          else notTried.push({ name: each.name, reason: reason(UNFINISHED) })
        },
      },
    )
    for (let next = left.next(); next.done !== true; next = left.next()) {
      const { name, part } = next.value
      notTried.push({ name: isEndless(part) ? `${name} and later` : name, reason: reason(NO_TIME) })
      if (isEndless(part)) break
    }
    if (notTried.length > 0) this.#isCut = true
    this.#skipped.push(...notTried)
  }

  /** A kill is repeated once, and nothing of it can be smaller. */
  get #shareOfFinding(): number {
    const groups = this.#groups.all
    if (groups.length === 0) return 1
    const areKills = groups.every(({ planned }) => planned.kill !== undefined)
    return areKills ? SHARE_OF_SHRINKING : SHARE_OF_FINDING
  }

  /** Whether a run can end in time. */
  #canStart(run: { isKilled: boolean }): boolean {
    return !this.#isStopped() && this.#allowance.hasTimeFor(run)
  }

  /** A method, because the compiler takes a getter for a value that does not change. */
  #isStopped(): boolean {
    return this.#stopping.signal.aborted
  }

  /** Runs one trial. Undefined if the exploration was stopped before it ended. */
  async #try(planned: PlannedTrial): Promise<TrialOutcome | undefined> {
    if (this.#isStopped()) return undefined
    this.#trials++
    const { part: _, ...run } = planned
    const trial: Trial = { ...run, number: this.#trials, seed: this.#seed }
    const scenario = withChats(trial.scenario, this.#chats)
    // A signal of its own, so that the listeners of a trial end with it.
    const stopping = new AbortController()
    let stop = (): void => {}
    const stopped = new Promise<undefined>((resolve) => {
      stop = () => {
        stopping.abort()
        resolve(undefined)
      }
    })
    this.#stopping.signal.addEventListener('abort', stop)
    const begun = this.#allowance.elapsed
    try {
      const result = await Promise.race([
        this.#run({ ...trial, scenario }, stopping.signal),
        stopped,
      ])
      if (!result || this.#isStopped()) return undefined
      this.#allowance.ended(trial, result, this.#allowance.elapsed - begun)
      return { planned, trial, result, judgment: this.#judge(trial, result) }
    } finally {
      this.#stopping.signal.removeEventListener('abort', stop)
    }
  }

  #judge(trial: Trial, result: TrialResult): Judgment {
    if (trial.kill && this.#usual) return judgeKill(trial.kill, result, this.#usual)
    return judge(trial, withNewWarnings(result, this.#baseline), this.#baseline)
  }

  /** Adds a run to the report, and to the groups of its mistakes. */
  #note({ planned, trial, result, judgment }: TrialOutcome): void {
    const { verdict, mistakes, unfinished, unapplied } = judgment
    if (unfinished !== undefined) {
      const within = roundDuration(result.took)
      const reason = `${unfinished}, but did not end within ${within}. A longer timeout tells more.`
      const late = { name: trial.name, reason }
      this.#skipped.push(late)
      this.#late ??= late
      return
    }
    if (unapplied !== undefined) {
      this.#idle++
      this.#skipped.push({ name: trial.name, reason: `Nothing of it happened: ${unapplied}` })
      return
    }
    const special = verdict === 'passed' ? planned.part.remarkOn?.(planned, result) : undefined
    const remark = special ?? judgment.remark
    const groups = mistakes.map((mistake) => this.#groups.add(mistake, planned, trial.number))
    const run: ExploredRun = {
      number: trial.number,
      name: trial.name,
      kind: trial.kind,
      seed: trial.seed,
      verdict,
      took: result.took,
      ...(mistakes[0] && { reason: mistakes[0].reason }),
      ...(groups[0] && { failure: groups[0].number }),
      ...(remark !== undefined && { remark }),
    }
    this.#explored.push(run)
    this.#allowance.take()
    const isTelling = this.#compares ? result.killed === true : planned.name !== DEFAULT_SCENARIO
    if (isTelling) this.#telling++
    this.#options.onRun?.(run)
  }

  /** The failures, each with the smallest scenario that shows it. */
  #shrunk(): Promise<ExploreFailure[]> {
    return shrinkAll(this.#groups.all, {
      allowance: this.#allowance,
      chats: this.#chats,
      seed: this.#seed,
      parallel: this.#parallel,
      onShrink: this.#options.onShrink,
      canStart: (run) => this.#canStart(run),
      isStopped: () => this.#isStopped(),
      mistakesIn: async (planned) => (await this.#try(planned))?.judgment.mistakes ?? [],
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
    return whyUntried({
      compares: this.#compares,
      isInterrupted: this.#isInterrupted,
      isCut: this.#isCut,
      first: this.#explored[0],
      late: this.#late,
      idle: this.#idle,
      allowance: this.#allowance,
    })
  }

  #report(failures: readonly ExploreFailure[]): ExploreReport {
    const untried = failures.length === 0 ? this.#untried() : undefined
    return {
      ...(untried && { untried }),
      seed: this.#seed,
      runs: this.#explored,
      failures,
      skipped: this.#skipped,
      ended: this.#ended,
      took: Math.round(this.#allowance.elapsed),
    }
  }
}

const ONE_JOB =
  'The code creates one job, so kills tell little about how it goes on from a step. Let it take more steps, such as three.'
const TOO_FEW_RUNS = 'There are too few runs for all scenarios.'
const TOO_FEW_RUNS_FOR_KILLS = 'There are too few runs for all kills.'
const NO_TIME = 'There was no time for it.'
const UNFINISHED = 'It had not ended when the time was over.'
const INTERRUPTED = 'The exploration was interrupted.'

interface TrialOutcome {
  readonly planned: PlannedTrial
  readonly trial: Trial
  readonly result: TrialResult
  readonly judgment: Judgment
}

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
