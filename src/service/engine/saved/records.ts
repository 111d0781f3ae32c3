import type { JudgeCount } from '../chat/chat.js'
import type { ProjectTotal } from '../chat/project-usage.js'
import type { LiveFaultState } from '../faults/live-fault.js'
import type { JobModel, JobState } from '../jobs/job.js'
import type { SavedLessons } from '../jobs/lessons.js'
import type { ModelRecord } from '../model.js'
import type { JobKind, JobRule, Scenario } from '../../scenario/scenario.js'
import type { Move, ScriptPlace } from '../jobs/script.js'
import type { Submission } from '../jobs/submission.js'

/** The version of the format. It increases if the meaning of records changes. Other versions are refused. */
export const WORLD_VERSION = 1

/** Dates end at 8.64e15. The difference leaves room for moments, which move when a world resumes. */
export const LAST_MOMENT = 8e15

/**
 * One record of a saved world. A record replaces an earlier one with the same `kind` and key. The order of
 * other records says what was created first. Moments are in milliseconds since the epoch, on the clock of the
 * world.
 *
 * @internal
 */
export type WorldRecord =
  | ({ kind: 'world' } & SavedFrame)
  | { kind: 'clock'; now: number }
  | { kind: 'model'; key: string; record: ModelRecord | 'deleted' }
  /** How many models a name has had. */
  | { kind: 'name'; key: string; made: number }
  | ({ kind: 'checkpoint'; key: string } & SavedCheckpoint)
  | { kind: 'aliases'; key: string; aliases: [alias: string, checkpoint: string][] }
  | ({ kind: 'job'; key: string } & SavedJob)
  | ({ kind: 'progress'; key: string } & SavedProgress)
  | { kind: 'sft'; key: string; job: string }
  | { kind: 'faults'; faults: LiveFaultState[] }
  | ({ kind: 'timeline' } & TimelineState)
  /** How often a chat prompt was repeated. */
  | { kind: 'asking'; key: string; times: number }
  /** How many of its `answers` each chat rule of the scenario has used. */
  | { kind: 'turns'; turns: number[] }
  /** What a job teaches its model. Null if it was forgotten. */
  | { kind: 'lessons'; key: string; lessons: SavedLessons | null }
  /** How often the judge was called. */
  | ({ kind: 'judged' } & JudgeCount)
  | { kind: 'usage'; key: string; total: ProjectTotal }
  /** A record of the webhooks. Only they read and write its content. Null if it was deleted. */
  | { kind: 'outgoing'; key: string; kept: unknown }

export interface SavedFrame {
  version: number
  seed: number
  scenario: Scenario
  /** Whether the scenario had functions. They are missing, because they cannot be saved. */
  functions: boolean
  awake: boolean
  /** The moment from which the times of the scenario count. */
  began: number
}

export interface SavedCheckpoint {
  model: string
  step: number
  createdAt: number
  /** Null if a number is not finite. */
  metrics: Iterable<[name: string, value: number | null]>
  servedFrom?: number | undefined
  servedUntil?: number | undefined
  expiresAt?: number | undefined
  deleted: boolean
}

export interface SavedJob {
  jobKind: JobKind
  model: JobModel
  ordinal: number
  createdAt: number
  author: string
  /** The rule, or its index in the scenario if it has functions. -1 is the default rule. */
  rule: JobRule | number
  submission: Submission
}

export interface SavedProgress {
  state: JobState
  script: ScriptPlace
  upcoming?: Move | undefined
  /** When the upcoming move happens. */
  due?: number | undefined
}

/** The saved state of a timeline. An entry is saved as its index in the scenario. */
export interface TimelineState {
  planned: {
    entry: number
    /** Milliseconds since the epoch. */
    at: number
    trail: readonly number[]
    /** The model and the job of the event that triggered it. */
    happening?: { model: string; job?: string | undefined } | undefined
  }[]
  /** How many events each entry with `after` has seen, in the order of the entries. */
  seen: number[]
}
