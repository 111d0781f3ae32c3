import type { JobKind, Scenario } from '../../scenario/scenario.js'
import type { ModelState } from '../model.js'
import type { FieldsOf } from '../saved/record-fields.js'
import type { KeyedRecord, SavedPart } from '../saved/saved-part.js'
import { whole } from '../saved/complete.js'
import type { Store } from '../store.js'
import type { Job, JobMade, JobModel } from './job.js'
import type { JobState } from './job-state.js'
import { savedProgress, type SavedProgress } from './saved-progress.js'
import { isGone, ruleOf, savedRuleOf, type SavedRule } from './saved-rule.js'
import type { Move, ScriptPlace } from './script.js'
import { submissionSchema } from './submission.js'

/** How a job was created. Its kind has another name, because each record has a kind. */
interface JobContent extends Omit<JobMade, 'id' | 'kind' | 'rule' | 'cause'> {
  jobKind: JobKind
  rule: SavedRule
}

export type SavedJob = KeyedRecord<'job', JobContent>

/** A saved job: how it was created, and its progress. */
export interface SavedJobState extends JobMade {
  state: JobState
  place: ScriptPlace
  upcoming: Move | undefined
}

export interface JobsWorld {
  readonly engine: {
    readonly store: Store
    readonly scenario: Scenario
    readonly training: {
      restore: (saved: SavedJobState, model: ModelState | undefined) => Job
    }
  }
}

/** How jobs were created. `savedProgress` says what happened since. */
export const savedJobs: SavedPart<SavedJob, Job, JobsWorld> = {
  kind: 'job',
  key: ({ string }) => string().min(1),
  fields(fields) {
    const { strictObject, string, choice, int, moment, ruleOrPlace } = fields
    const model = { id: string(), entity: string(), project: string(), name: string() }
    return {
      jobKind: choice(['rl', 'sft']),
      model: strictObject(model satisfies FieldsOf<JobModel>),
      ordinal: int().positive(),
      createdAt: moment,
      author: string(),
      rule: ruleOrPlace,
      submission: submissionSchema(fields),
    }
  },
  all: ({ engine }) => engine.store.jobs,
  content(job, _id, { engine }) {
    const { kind: jobKind, ordinal, createdAt, author, submission } = job
    const { id, entity, project, name } = job.model
    return {
      jobKind,
      model: { id, entity, project, name },
      ordinal,
      createdAt,
      author,
      rule: savedRuleOf(engine.scenario, job.rule),
      submission: whole(submission),
    }
  },
  restore(records, world, { recordsOf }) {
    const progress = new Map(recordsOf(savedProgress).map((saved) => [saved.key, saved]))
    for (const saved of records) restoreJob(saved, progress.get(saved.key)!, world)
  },
}

function restoreJob(
  saved: SavedJob,
  progress: SavedProgress,
  { engine: { store, scenario, training } }: JobsWorld,
): void {
  const { key: id, jobKind: kind, rule, ...facts } = saved
  training.restore(
    {
      ...facts,
      id,
      kind,
      cause: undefined,
      rule: ruleOf(scenario, rule),
      state: progress.state,
      place: isGone(rule) ? defaultPlace(progress) : progress.script,
      upcoming: progress.upcoming,
    },
    store.model(saved.model.id),
  )
}

/** Returns the place in the default rule, for a job whose own rule had functions and no longer exists. */
function defaultPlace({ state, script, upcoming }: SavedProgress): ScriptPlace {
  const [, repetition, taken] = script
  const begun = state.started !== undefined || upcoming?.event === 'training_started'
  return begun ? [1, repetition, taken] : [0, 0, taken]
}
