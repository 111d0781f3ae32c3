import type {
  TrainedAnswer,
  TrainedGroup,
  TrainedJob,
  TrainedTrajectory,
} from '../../service/engine/lineage/trained-job.js'
import type { Engine } from '../../service/engine/engine.js'
import type { CheckDefinition } from './check-definition.js'
import type { Evidence } from './evidence.js'
import type { Unit } from './reach.js'

/** What checks of training data judge. */
export interface Units {
  answer: TrainedAnswer
  trajectory: TrainedTrajectory
  group: TrainedGroup
}

/** A check of what jobs are trained on. All that it finds is one finding. */
export interface TrainingCheck<U extends Unit = Unit, Setting = unknown> {
  readonly mistake: string
  readonly legitimate: string
  /** What it judges, one by one. */
  readonly judges: U
  // Methods, so that a table can have the checks of all units: each gets only its own.
  /** Finds the mistake in one of those: whether it is there, what is there, or the places in it. */
  search(
    unit: Units[U],
    job: TrainedJob,
    setting: Setting | undefined,
  ): boolean | string | readonly Omit<Evidence, 'place'>[] | undefined
  /** Why it cannot judge one of those. Undefined if it can. */
  blind?(unit: Units[U], job: TrainedJob): string | undefined
  /** Why it can judge nothing in a world. Undefined if it can. */
  readonly blindIn?: (engine: Engine) => string | undefined
  /** Whether it is only a mistake if many of all are found; or also if all of one job are, however few. */
  readonly ifMany?: true | 'or all of a job'
  /** Why it cannot judge those that are a mistake once others of the same file are otherwise. */
  readonly unlessOthers?: string
  /** Says what was found. */
  readonly say: (found: Outcome) => string
  /** What to do instead. */
  readonly advice: string | ((found: Outcome) => string)
  /** Whether answers that the emulator makes up can cause what was found. Default: no. */
  readonly byInvention?: (found: Outcome) => boolean
  /** When it judges choices and captured answers, as words of the reference. Default: always. */
  readonly onChoices?: string
  /** When it judges answers that are plain messages. Default: always. */
  readonly onMessages?: string
  /** What it judges in a file, which has no samples. Default: the same. */
  readonly inFile?: string
}

/** How often a check found what it looks for. */
export interface Outcome {
  readonly count: number
  /** Of how many. */
  readonly all: number
  /** What is in all of the places. Undefined if it differs. */
  readonly same: string | undefined
  /** The number of jobs of which all were found. */
  readonly wholeJobs: number
}

/** A client check of training data. */
export interface TrainingCheckDefinition extends CheckDefinition {
  /** The check itself. It also reads training data that comes from a file. */
  readonly training: TrainingCheck
}

export function isTrainingCheck(check: CheckDefinition): check is TrainingCheckDefinition {
  return 'training' in check
}

/** Whether a search found something. */
export function isFound(
  said: ReturnType<TrainingCheck['search']>,
): said is Exclude<typeof said, false | undefined> {
  return said !== undefined && said !== false
}
