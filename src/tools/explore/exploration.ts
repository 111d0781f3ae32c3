import type { CheckName } from '../../service/scenario/check-names.js'
import type { ScenarioInput } from '../../service/scenario/scenario.js'
import type { Kill } from './crash/kill.js'
import type { Work } from './crash/work.js'

/** The kinds of trials. */
export const TRIAL_KINDS = ['scenario', 'fields', 'faults', 'crashes', 'shrink'] as const
/** What a trial may expect of the code. */
export const EXPECTATIONS = ['success', 'any_end'] as const
/** How the code may end. */
export const TRIAL_ENDS = ['success', 'error', 'timeout'] as const
/** The verdicts on a run that did not pass. */
export const FAILED_VERDICTS = ['failed', 'hung', 'client_check'] as const
/** Why an exploration may stop. */
export const EXPLORATION_ENDS = ['all_runs', 'time', 'interrupted', 'baseline'] as const

/** What an exploration tries: one run of the code under test with one scenario. */
export interface Trial {
  /** From 1, in the order in which trials start. Trials of the shrinker count on. */
  readonly number: number
  /** The name of a built-in scenario, or a text such as `faults 17`. */
  readonly name: string
  /**
   * `scenario`: a scenario as it is. `fields`: answers differ as the contract allows. `faults`: drawn from the seed.
   * `crashes`: the code is killed, and starts again. `shrink`: a smaller form of a failure.
   */
  readonly kind: (typeof TRIAL_KINDS)[number]
  /** What the service does. */
  readonly scenario: ScenarioInput
  /** The seed of the emulator. */
  readonly seed: number
  /**
   * `success`: a careful loop can reach its goal, so an error is a failure. `any_end`: the service refuses for
   * good, so an error is a correct end. Hanging and failed client checks are failures in both.
   */
  readonly expects: (typeof EXPECTATIONS)[number]
  /** When the code is killed. It then starts again, in the same world and with what it stored. Undefined: never. */
  readonly kill?: Kill | undefined
  /** Whether the result must say what the code made. */
  readonly compares?: boolean | undefined
}

/** What the code under test did in a trial. */
export interface TrialResult {
  /** `error`: a nonzero exit code, or a thrown error. `timeout`: it was stopped because it did not end. */
  readonly ended: (typeof TRIAL_ENDS)[number]
  /** Why: the last line of stderr, or the message of the error. */
  readonly error?: string | undefined
  /** Milliseconds of real time. */
  readonly took: number
  /** Whether the call of the kill came. */
  readonly killed?: boolean | undefined
  /** What the emulator saw. `observe(emulator)` makes it. */
  readonly observed: Observation
}

/** How the code under test ended. */
export type TrialEnd = Pick<TrialResult, 'ended' | 'error'>

/** What the emulator of a trial saw of the code under test. */
export interface Observation {
  /** How often each operation was called. Queries about runs and artifacts are one operation. */
  readonly calls: Readonly<Record<string, number>>
  /** Mistakes that the client checks found. */
  readonly findings: readonly CheckFinding[]
  /** Warnings that tell of a mistake if the code gets none without a fault. Undefined: none. */
  readonly warnings?: readonly CheckFinding[] | undefined
  /**
   * The last call that was refused, got no answer or an unreadable one. One that the code never made again with
   * success comes first.
   */
  readonly problem: Problem | undefined
  /** What is still pending, if anything. */
  readonly pending: readonly StillPending[]
  /** What gave it no answer or did not end, if it gave up on some of that and went on. Undefined: it did not. */
  readonly gaveUp?: string | undefined
  /** How many calls that hung it gave up, whether it went on or not. Undefined: none. */
  readonly leftHanging?: number | undefined
  /** How many deliveries the code under test acknowledged. */
  readonly deliveries: number
  /** How many of them had the bytes of an earlier event, but were about another one. Undefined: none. */
  readonly equalEvents?: number | undefined
  /** How many polls of a job followed each other without a pause, if that is too often. Undefined: no job was polled so. */
  readonly busyPolls?: number | undefined
  /** What the calls created. */
  readonly created: { readonly jobs: number; readonly models: number }
  /** How many jobs ended successfully. */
  readonly succeeded: number
  /** What the code uses besides operations. */
  readonly uses: readonly Use[]
  /** Why no fault of the scenario changed a call. Undefined: one did, or it has none. */
  readonly unapplied?: string | undefined
  /** What the code made, if the trial compares it. */
  readonly work?: Work | undefined
}

/** A call that has no answer, or a job that is not over. */
export interface StillPending {
  readonly kind: 'call' | 'job'
  /** `createModel got no answer`. */
  readonly text: string
}

/** What a client check found. */
export interface CheckFinding {
  readonly check: CheckName
  readonly text: string
  /** The operation of the call that is the mistake. */
  readonly operation?: string | undefined
}

/** A part of the service that only some code uses. */
export type Use = 'tools' | 'logprobs' | 'judge' | 'artifacts'

/** A call that did not do what the code wanted. */
export interface Problem {
  readonly operation: string
  /** The HTTP status, or how the answer was lost: `503`, `hang`, `disconnect` or `unreadable`. */
  readonly outcome: string
  /** How often the operation had problems. */
  readonly times: number
  /** Whether the same operation succeeded later. */
  readonly recovered: boolean
}

/** Runs the code under test in a fresh world. It stops when the signal aborts; its result is then ignored. */
export type RunTrial = (trial: Trial, signal: AbortSignal) => Promise<TrialResult>

/** A scenario of the user to try besides the built-in ones. */
export interface OwnScenario {
  /** What the service does. */
  readonly scenario: ScenarioInput
  /** Default: `success` if all jobs of the scenario end well, otherwise `any_end`. */
  readonly expects?: Trial['expects'] | undefined
}

/** How to explore. */
export interface Exploration {
  /** The number of runs: the baseline, scenarios and drawn faults. The shrinker's trials come on top. Default: 80. */
  readonly runs?: number | undefined
  /** The time for everything, in milliseconds: the runs, and what shrinks failures. Default: ten minutes. */
  readonly time?: number | undefined
  /** Default: 1. */
  readonly seed?: number | undefined
  /** How many trials run at once. Default: 1. */
  readonly parallel?: number | undefined
  /** Scenarios of the user, which come before the built-in ones. Their answers of chats hold in each run. */
  readonly scenarios?: readonly OwnScenario[] | undefined
  /** A scenario that is not tried, but whose chats hold in each run, after those of `scenarios`. */
  readonly chats?: ScenarioInput | undefined
  /**
   * The names of the scenarios to try, even if they do not seem to fit; `faults` is for drawn faults, `fields` for
   * changed fields, and `crashes` for kills. Default: all but the kills.
   */
  readonly only?: readonly string[] | undefined
  /** The names of scenarios to leave out; `faults` is for drawn faults. */
  readonly skip?: readonly string[] | undefined
  /** When the code is killed, for runs of `crashes`. Default: at a few calls of each operation. */
  readonly kills?: readonly Kill[] | undefined
  /** Stops the exploration. The report has what was found until then. */
  readonly signal?: AbortSignal | undefined
  /** Called when the first run has shown how long a run takes. */
  readonly onPlan?: ((plan: ExplorePlan) => void) | undefined
  /** Called with each run, in the order of their numbers. */
  readonly onRun?: ((run: ExploredRun) => void) | undefined
  /** Called when the shrinker finds a smaller scenario. */
  readonly onShrink?: ((step: ShrinkStep) => void) | undefined
  /** Returns milliseconds. Default: real time. */
  readonly now?: (() => number) | undefined
}

/** What an exploration will try in its time. */
export interface ExplorePlan {
  /** Milliseconds that the first run took. */
  readonly took: number
  /** Milliseconds for everything. */
  readonly time: number
  /** How many runs are planned, without those that are done. */
  readonly planned: number
  /** About how many of them fit into the time. */
  readonly fits: number
  /** The first of them, the most telling one first, each with the mistake that it often finds. */
  readonly first: readonly { readonly name: string; readonly finds?: string }[]
  /** Why they find little, and what to do. Undefined: nothing is known. */
  readonly limit?: string
}

/** Why an exploration shows nothing about the code: it tried neither a fault nor a kill. */
export interface UntriedReason {
  /** In a sentence. */
  readonly reason: string
  /** A time that has room for one, such as `3m`, if the time is what was missing. */
  readonly time?: string
}

/** Progress of the shrinker. */
export interface ShrinkStep {
  /** The number of the failure. */
  readonly failure: number
  /** The failure in one line. */
  readonly title: string
  /** How many trials it has made for this failure. */
  readonly trials: number
  /** The number of lines of the smallest scenario so far. */
  readonly lines: number
}

/** How a run went. See `docs/how-to/explore.md`. */
export type Verdict = 'passed' | (typeof FAILED_VERDICTS)[number]

/** A trial and its verdict, for reports. */
export interface ExploredRun {
  /** From 1. The first one is the baseline. */
  readonly number: number
  /** The name of the scenario, or `faults 17`. */
  readonly name: string
  /**
   * The kind of the trial.
   *
   * @internal
   */
  readonly kind: Trial['kind']
  /** The seed of the emulator. */
  readonly seed: number
  /** How it went. */
  readonly verdict: Verdict
  /** Why it is not `passed`, in one line. */
  readonly reason?: string
  /** The number of the failure that it belongs to. A run with several mistakes belongs to the first of them. */
  readonly failure?: number
  /** What is worth a look although it passed. */
  readonly remark?: string
  /** Milliseconds of real time. */
  readonly took: number
}

/** Runs that failed in the same way, and the smallest scenario that still fails like this. */
export interface ExploreFailure {
  /** From 1. */
  readonly number: number
  /** How the runs went. */
  readonly verdict: (typeof FAILED_VERDICTS)[number]
  /** In one line: `createRlTrainingJob was repeated blindly (duplicateJobs)`. */
  readonly title: string
  /** Why, for the first of its runs: the error, or what a check found. */
  readonly reason: string
  /** The numbers of the runs. All that is said of one run is said of the first of them. */
  readonly runs: readonly number[]
  /** The seed that repeats it. */
  readonly seed: number
  /** The smallest scenario that still fails. */
  readonly scenario: ScenarioInput
  /** The same as YAML, without comments. */
  readonly yaml: string
  /** When the code was killed, if that is what it does not survive. */
  readonly kill?: Kill
  /**
   * The same for all runs that show this mistake.
   *
   * @internal
   */
  readonly signature: string
  /** Whether only a comparison with a run without faults shows it, so `exec` cannot. Undefined: no. */
  readonly needsBaseline?: boolean
  /** Whether it did not fail again with the same scenario. Then the scenario is the one of the run. */
  readonly flaky?: boolean
  /** How many trials the shrinker made, and whether it reached a scenario that cannot shrink. */
  readonly shrinking: { readonly trials: number; readonly finished: boolean }
}

/** What an exploration tried and found. */
export interface ExploreReport {
  /** The same seed tries the same. */
  readonly seed: number
  /** What was tried, without the trials of the shrinker. */
  readonly runs: readonly ExploredRun[]
  /** Each failure once, however many runs have it. */
  readonly failures: readonly ExploreFailure[]
  /** The scenarios and kills that were not tried, each with the reason. */
  readonly skipped: readonly { readonly name: string; readonly reason: string }[]
  /** Why the runs show nothing, although none of them failed. Undefined if they show something. */
  readonly untried?: UntriedReason | undefined
  /**
   * Why it stopped. `all_runs`: all runs were done, even if the time did not suffice to shrink each failure.
   * `time`: the time was over before that. `baseline`: the code fails without any fault, so nothing else can be
   * judged. Then the only failure has the scenario `happy-path`.
   */
  readonly ended: (typeof EXPLORATION_ENDS)[number]
  /** Milliseconds of real time. */
  readonly took: number
}
