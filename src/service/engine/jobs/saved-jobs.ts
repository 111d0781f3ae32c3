import { holdsFunction } from '../../../base/text/holds-function.js'
import type { JobKind, JobRule, Scenario } from '../../scenario/scenario.js'
import type { ModelState } from '../model.js'
import type { ContentFrom, FieldsOf, RecordFields } from '../saved/record-fields.js'
import { SECRET, type KeyedRecord, type SavedPart } from '../saved/saved-part.js'
import { whole, type Complete } from '../saved/complete.js'
import type { Store } from '../store.js'
import type { Job, JobMade, JobModel } from './job.js'
import { jobStateSchema, type JobState } from './job-state.js'
import { DEFAULT_RULE } from './rule.js'
import { moveSchema } from './saved-move.js'
import type { Move, ScriptPlace } from './script.js'
import { submissionSchema } from './submission.js'

/** How a job was created. Its kind has another name, because each record has a kind. */
interface JobContent extends Omit<JobMade, 'id' | 'kind' | 'rule' | 'cause'> {
  jobKind: JobKind
  /** The rule, or its place in the scenario if it has functions. */
  rule: JobRule | RulePlace
}

/** The index of a rule in the scenario, or `GONE`. */
type RulePlace = number

/** In place of the index of a rule that the scenario no longer has. Its job goes on by the default rule. */
const GONE = -1

/** Whether a saved rule is its place in the scenario, which must have it. */
export function isPlace(rule: SavedJob['rule']): rule is RulePlace {
  return typeof rule === 'number' && rule !== GONE
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
      planRestored: (model: ModelState, job: Job, due: number | undefined) => void
    }
  }
}

/** How jobs were created. */
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
      rule: ruleIn(engine.scenario, job.rule),
      submission: whole(submission),
    }
  },
  restore(records, world, { recordsOf }) {
    const progress = new Map(recordsOf(savedProgress).map((saved) => [saved.key, saved]))
    for (const saved of records) restoreJob(saved, progress.get(saved.key)!, world)
  },
}

/** Returns the rule, or its place if it has functions, which cannot be saved. */
function ruleIn({ jobs }: Scenario, rule: JobRule): Complete<SavedJob['rule']> {
  if (!holdsFunction(rule)) return whole(rule)
  const index = jobs.indexOf(rule)
  return index === -1 ? GONE : index
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
      rule: typeof rule === 'number' ? (scenario.jobs[rule] ?? DEFAULT_RULE) : rule,
      state: progress.state,
      place: rule === GONE ? defaultPlace(progress) : progress.script,
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

function progressFields(fields: RecordFields) {
  return {
    state: jobStateSchema(fields),
    script: fields.tuple([fields.count, fields.steps, fields.steps]),
    upcoming: moveSchema(fields).optional(),
    /** When the upcoming move happens. */
    due: fields.moment.optional(),
  }
}

export type SavedProgress = KeyedRecord<'progress', ContentFrom<typeof progressFields>>

/** What happened to jobs since they were created. */
export const savedProgress: SavedPart<SavedProgress, Job, JobsWorld> = {
  kind: 'progress',
  fields: progressFields,
  all: ({ engine }) => engine.store.jobs,
  *moved({ engine }) {
    for (const model of engine.store.modelStates) {
      for (const job of model.jobs) if (!job.over) yield [job.id, job]
    }
  },
  content: ({ progress, events, place, upcoming, nextTask }) => ({
    state: whole({ ...progress, moments: events.moments.latest }),
    script: [...place],
    upcoming: upcoming && whole(upcoming),
    due: nextTask?.at,
  }),
  resume(records, { engine: { store, training } }, { later }) {
    const dues = new Map(records.map(({ key, due }) => [key, due]))
    for (const model of store.modelStates) {
      for (const job of model.jobs) {
        const due = dues.get(job.id)
        training.planRestored(model, job, due === undefined ? undefined : due + later)
      }
    }
  },
}

type SftJobRecord = KeyedRecord<'sft', { job: string }>

/** The SFT jobs by their model and data. The URL of the data may be signed. */
export const savedSftJobs: SavedPart<SftJobRecord, Job, { engine: { store: Store } }> = {
  ...SECRET,
  kind: 'sft',
  fields: ({ string }) => ({ job: string() }),
  all: ({ engine }) => engine.store.sftJobs,
  content: (job) => ({ job: job.id }),
  restore(records, { engine: { store } }) {
    for (const { key, job } of records) store.sftJobs.set(key, store.jobs.get(job)!)
  },
}
