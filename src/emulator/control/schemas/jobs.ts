import { anything, boolean, number, string } from '../../../service/contract/pydantic/scalars.js'
import { dictionary, list, nullable } from '../../../service/contract/pydantic/containers.js'
import { defaulted, optional, required } from '../../../service/contract/pydantic/fields.js'
import { boundedInteger, integer } from '../../../service/contract/pydantic/integer.js'
import { literal } from '../../../service/contract/pydantic/literal.js'
import { model } from '../../../service/contract/pydantic/model.js'
import { parameters } from '../../../service/contract/pydantic/parameters.js'
import type { Infer } from '../../../service/contract/pydantic/schema.js'
import { MOST_STEPS } from '../../../service/scenario/most-steps.js'
import { controlBody, controlQuery, upTo } from './body-and-query.js'

const jobKind = literal('rl', 'sft')
const jobStatus = literal('queued', 'running', 'ended', 'failed')

export const job = model('Job', {
  id: required(string, { description: 'The id of the job.' }),
  kind: required(jobKind, { description: 'Reinforcement learning or supervised fine-tuning.' }),
  model: model('JobModel', { id: string, entity: string, project: string, name: string }),
  ordinal: required(integer, { description: 'Its number among the jobs of its model, from 1.' }),
  status: required(jobStatus, { description: 'Its state, as the service shows it.' }),
  stalled: required(boolean, { description: 'Whether it waits until you resume it.' }),
  why_waiting: required(nullable(string), {
    description:
      'Why no event of it is scheduled: the job before it, a stall, or the end of its timeline.',
  }),
  step: required(integer, { description: 'How many gradient steps it has taken.' }),
  steps: required(integer, { description: 'How many it takes in total.' }),
  latest: required(dictionary(anything), { description: 'The metrics of its latest step.' }),
  created_at: required(string, { description: 'When it was created.' }),
  training_start: required(nullable(string), { description: 'When it started.' }),
  training_end: required(nullable(string), { description: 'When it ended or failed.' }),
  error_message: required(nullable(string), { description: 'Why it failed.' }),
  checkpoint_step: required(nullable(integer), {
    description: 'The step of the checkpoint that it added.',
  }),
  events: required(integer, { description: 'How many events it has.' }),
  request_id: required(nullable(integer), {
    description: 'The id of the journal entry of the request that created it.',
  }),
})
export const jobs = model('Jobs', { jobs: list(job) })
export const jobRequest = controlBody('JobRequest', {
  model: optional(string, {
    description: 'The id or name of a model. A new name creates a model.',
  }),
  kind: defaulted(jobKind, () => 'rl' as const, {
    description: 'Reinforcement learning or supervised fine-tuning.',
  }),
  trajectories: defaulted(boundedInteger({ ge: 0, le: MOST_STEPS }), () => 6, {
    description:
      'The number of trajectories. Every other one has the reward 1; a single one has nothing to train on. For an SFT job, the number of lines.',
  }),
  timeline: optional(list(anything), {
    description:
      'What happens to the job, as `timeline` of a job in a scenario. By default, the scenario decides.',
  }),
  trajectory_groups: optional(list(anything), {
    description: 'For an RL job: what a client sends, instead of `trajectories`.',
  }),
})
export const jobFilter = controlQuery({
  model: optional(string, { description: 'The id or name of a model.' }),
  status: optional(jobStatus, { description: 'Returns only jobs in this state.' }),
  limit: optional(boundedInteger({ ge: 1 }), { description: 'Returns only the newest jobs.' }),
})
export const jobPath = parameters('path', { job_id: string })
export const failRequest = controlBody('FailRequest', {
  error_message: optional(string, {
    description: 'The error message of the job. By default, "Training failed".',
  }),
})

export const eventSlice = controlQuery({
  from: defaulted(integer, () => 0, {
    description: 'The index of the first event. A negative index counts from the end.',
  }),
  limit: upTo(1000, 100, 'The most events to return.'),
})
export const events = model('JobEvents', {
  events: list(
    model('ControlEvent', {
      index: required(integer, { description: 'Its place among the events, from 0.' }),
      id: required(string, { description: 'Its id.' }),
      type: required(string, { description: 'What happened, such as gradient_step.' }),
      at: required(string, { description: 'When it happened.' }),
      data: required(dictionary(anything), { description: 'The data of the event.' }),
    }),
  ),
  total: required(integer, { description: 'How many events the job has.' }),
})

export const seriesQuery = controlQuery({
  points: defaulted(boundedInteger({ ge: 2, le: 100_000 }), () => 2000, {
    description: 'The most steps. Longer series are thinned; peaks are kept at their steps.',
  }),
})
export const series = model('Series', {
  steps: required(list(integer), { description: 'The steps of the rows.' }),
  metrics: required(dictionary(list(nullable(number))), {
    description: 'One column of values for each metric. Null: absent, NaN or infinite.',
  }),
  not_finite: required(
    dictionary(
      list(
        model('NonFiniteRun', {
          from: required(integer, { description: 'The first step.' }),
          to: required(integer, { description: 'The last step.' }),
          value: required(literal('NaN', 'Infinity', '-Infinity'), {
            description: 'The value at these steps.',
          }),
        }),
      ),
    ),
    { description: 'Where a metric is NaN or infinite, also at steps that are left out.' },
  ),
})

/** A job and its state. */
export type ControlJob = Infer<typeof job>
/** Events of a job, and their total number. */
export type ControlEvents = Infer<typeof events>
/** The metrics of a job as columns: one value of each metric for each step. */
export type Series = Infer<typeof series>
