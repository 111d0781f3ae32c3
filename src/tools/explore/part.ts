import type { ScenarioInput } from '../../service/scenario/scenario.js'
import type { Kill } from './crash/kill.js'
import type { Observation, OwnScenario, Problem, Trial, TrialResult } from './exploration.js'

/** A run that a part plans. What only one kind of trial says, its plan says, and what runs the code reads it. */
export interface PlannedRun extends Omit<Trial, 'number' | 'kind' | 'seed'> {
  /** Why it would change nothing for the code. Undefined if it fits. */
  readonly unfit?: string | undefined
}

/** What is known when a part plans its runs. */
export interface PlanFacts {
  /** What the code did without any fault. */
  readonly observed: Observation
  /** Calls that the code did not survive. */
  readonly problems: readonly Problem[]
  /** The scenarios of the user. */
  readonly own: readonly OwnScenario[]
  /** The kills that the user chose. */
  readonly kills?: readonly Kill[] | undefined
  readonly seed: number
}

interface AnyPart {
  /** Returns its runs, in the order in which they are tried. */
  readonly plan: (known: PlanFacts) => Iterable<PlannedRun>
  /** Whether a smaller scenario that fails in the same way shows the failure of a run. */
  readonly mayBecome: (smaller: ScenarioInput, run: PlannedRun) => boolean
  /** Says what is worth a look although a run passed. */
  readonly remarkOn?: (run: PlannedRun, result: TrialResult) => string | undefined
}

/** A kind of run whose runs have names that `only` and `skip` take. */
export interface ListedPart extends AnyPart {
  readonly kind: 'scenario'
  readonly names: (own: readonly OwnScenario[]) => readonly string[]
  /** Whether it may leave no runs for what is drawn. */
  readonly mayTakeAll?: true
}

/** What `only` and `skip` take for all runs of a part that draws them. */
export type DrawnKind = Exclude<Trial['kind'], 'scenario' | 'shrink'>

/** A kind of run that goes on as long as there are runs. It comes after the lists, and knows what they found. */
export interface DrawnPart extends AnyPart {
  /** The names of its runs begin with it: `faults 17`. */
  readonly kind: DrawnKind
  /** The share of all runs that the lists leave for it, if there are fewer runs than by default. */
  readonly share: number
  /** What reports count, as `counted` takes it. */
  readonly counted: readonly [one: string, many: string]
  /** Whether it has runs only if the user asks for them. */
  readonly isOptional?: true
  /** Whether its runs come to an end, so that all of them can be named. Default: it always has another one. */
  readonly isFinite?: true
}

/** A kind of run. `parts/` has a file for each. */
export type Part = ListedPart | DrawnPart

/** A trial that waits for its number, and the part that planned it. */
export interface PlannedTrial extends Omit<Trial, 'number' | 'seed'> {
  readonly part: Part
}

/** Whether a part always has another run. */
export function isEndless(part: Part): boolean {
  return part.kind !== 'scenario' && part.isFinite !== true
}

/** Says of a planned run which part planned it. */
export function plannedBy(part: Part, planned: PlannedRun): PlannedTrial {
  const { unfit: _, name, ...run } = planned
  return { part, name, kind: part.kind, ...run }
}
