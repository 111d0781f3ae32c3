import { optional, required } from '../../../service/contract/pydantic/fields.js'
import { integer } from '../../../service/contract/pydantic/integer.js'
import { list, nullable } from '../../../service/contract/pydantic/containers.js'
import { literal } from '../../../service/contract/pydantic/literal.js'
import { model } from '../../../service/contract/pydantic/model.js'
import { number, string } from '../../../service/contract/pydantic/scalars.js'
import type { Infer } from '../../../service/contract/pydantic/schema.js'
import { controlQuery, upTo } from './body-and-query.js'

const lineageSample = model('LineageSample', {
  completion: required(string, { description: 'The id of the completion.' }),
  choice: required(integer, { description: 'The index of the choice.' }),
  at: required(string, { description: 'When it was sampled.' }),
  model: required(string, { description: 'The name of the model, or the id of a base model.' }),
  step: required(nullable(integer), {
    description: 'The step of the checkpoint. Null for a base model.',
  }),
  text: required(string, { description: 'The beginning of the answer.' }),
  finish: required(string, { description: 'How the answer ended, such as stop or length.' }),
  tokens: required(integer, { description: 'The number of its tokens.' }),
  request: required(nullable(integer), {
    description: 'The id of its request. Null if the journal does not have it.',
  }),
})

const lineageAnswer = model('LineageAnswer', {
  turn: required(integer, { description: 'Its index in the messages of the trajectory.' }),
  state: required(literal('sampled', 'changed', 'unknown'), {
    description:
      'sampled: as a chat gave it. changed: a chat gave it, and it differs now. unknown: no chat gave it.',
  }),
  changed: required(nullable(string), { description: 'What differs from what was sampled.' }),
  lag: required(nullable(integer), {
    description:
      'How many steps its checkpoint was behind the newest one. Null for other models, and if it is unknown.',
  }),
  sample: required(nullable(lineageSample), {
    description: 'What was sampled. Null if it is unknown or forgotten.',
  }),
})

const lineageTrajectory = model('LineageTrajectory', {
  reward: required(nullable(number), { description: 'The reward. Null if it is not finite.' }),
  answers: list(lineageAnswer),
  duplicate: required(
    nullable(model('LineagePlace', { job: string, group: integer, trajectory: integer })),
    { description: 'The trajectory that had the same samples before.' },
  ),
  failed: required(nullable(string), {
    description: 'What failed, although the trajectory has a reward, such as chat 503.',
  }),
})

const lineageJob = model('LineageJob', {
  job: required(string, { description: 'The id of the job.' }),
  model: required(string, { description: 'The name of its model.' }),
  at: required(string, { description: 'When it was submitted.' }),
  status: required(string, { description: 'Its state, as the service shows it.' }),
  latest: required(integer, {
    description: 'The step of the newest checkpoint of the model when it was submitted.',
  }),
  step: required(nullable(integer), {
    description: 'The step of the checkpoint that it added. Null if it has added none.',
  }),
  groups: list(model('LineageGroup', { trajectories: list(lineageTrajectory) })),
})

export const lineage = model('Lineage', {
  counts: required(
    model('LineageCounts', {
      samples: required(integer, {
        description: 'How many samples are remembered, without those of judges.',
      }),
      unused: required(integer, { description: 'How many of them no job has used.' }),
      trained: required(integer, { description: 'How many answers jobs trained on.' }),
      unknown: required(integer, { description: 'How many of those no chat gave.' }),
    }),
    { description: 'Totals of all jobs and samples.' },
  ),
  checkpoint: required(
    nullable(
      model('LineageCheckpoint', {
        model: required(string, { description: 'The name of its model.' }),
        step: required(integer, { description: 'Its step.' }),
        from: required(literal('job', 'base_model', 'upload'), {
          description: 'upload: no job made it, but a client or the scenario added it.',
        }),
        job: required(nullable(string), { description: 'The id of the job that made it.' }),
      }),
    ),
    { description: 'Where the checkpoint is from that was asked for. Null without one.' },
  ),
  jobs: list(lineageJob),
  unused: required(list(lineageSample), {
    description: 'Samples that no job has used, the newest first.',
  }),
})

export const lineageQuery = controlQuery({
  job: optional(string, { description: 'The id of a job. By default, the newest jobs.' }),
  checkpoint: optional(string, {
    description: 'Shows its job: poet:step2, or its id.',
  }),
  limit: upTo(1000, 20, 'The most jobs, and the most unused samples, to return; the newest.'),
})

/** What was sampled, and which jobs trained on it. */
export type Lineage = Infer<typeof lineage>
