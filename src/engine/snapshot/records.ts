import type { ProjectTotal } from '../chat/project-usage.js'
import type { LiveFaultState } from '../faults/live-fault.js'
import type { JobModel, JobState } from '../jobs/job.js'
import type { ModelRecord } from '../model.js'
import type { JobKind, JobRule, Scenario } from '../../scenario/scenario.js'
import type { Move, ScriptPlace } from '../jobs/script.js'
import type { Submission } from '../jobs/submission.js'
import type { TimelineState } from './timeline-state.js'

/** Counted up whenever records mean something else than before: an older world is then refused. */
export const WORLD_VERSION = 1

/**
 * A world, written down piece by piece. A record with the same `kind` and key as an earlier one takes
 * its place, and nothing else refers to the order, but that of creation. Moments are milliseconds
 * since the epoch on the world's clock.
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
  /** How often the same was asked in a chat. */
  | { kind: 'asking'; key: string; times: number }
  /** How many answers each chat rule of the scenario has given in turn. */
  | { kind: 'turns'; turns: number[] }
  | { kind: 'usage'; key: string; total: ProjectTotal }
  /** Of what leaves the world, which its own part reads and writes; null where it is gone. */
  | { kind: 'outgoing'; key: string; kept: unknown }

export interface SavedFrame {
  version: number
  seed: number
  scenario: Scenario
  /** Whether the scenario holds functions, which cannot be written down and are missing from it. */
  functions: boolean
  awake: boolean
  /** From when what the scenario times is counted. */
  began: number
}

export interface SavedCheckpoint {
  model: string
  step: number
  createdAt: number
  /** JSON has no word for a figure that is not a number, and says null. */
  metrics: [name: string, value: number | null][]
  servedFrom?: number | undefined
  servedUntil?: number | undefined
  deleted: boolean
}

export interface SavedJob {
  jobKind: JobKind
  model: JobModel
  ordinal: number
  createdAt: number
  author: string
  /** The rule itself, or its place in the scenario where it holds functions. -1 is the default rule. */
  rule: JobRule | number
  submission: Submission
}

export interface SavedProgress {
  state: JobState
  script: ScriptPlace
  upcoming?: Move | undefined
  /** When the upcoming move is due. */
  due?: number | undefined
}
