import { copy } from './deliveries.js'
import { boolean, string } from '../../../service/contract/pydantic/scalars.js'
import { optional, required } from '../../../service/contract/pydantic/fields.js'
import { integer } from '../../../service/contract/pydantic/integer.js'
import { list, nullable } from '../../../service/contract/pydantic/containers.js'
import { literal } from '../../../service/contract/pydantic/literal.js'
import { model } from '../../../service/contract/pydantic/model.js'
import type { Infer } from '../../../service/contract/pydantic/schema.js'
import { controlQuery, upTo } from './body-and-query.js'
import { aboutFields, taskKinds } from './schedule.js'

const entryKinds = ['request', 'job', 'delivery', 'receipt', 'note'] as const

const timelineItem = model('TimelineItem', {
  id: required(nullable(integer), { description: 'The id of the entry. Null: scheduled.' }),
  at: required(string, { description: 'When it happened, or will happen.' }),
  cause: required(nullable(integer), { description: 'The id of the entry that led to it.' }),
  depth: required(integer, { description: 'How many of its causes are on the timeline.' }),
  kind: required(literal(...new Set([...entryKinds, ...taskKinds])), {
    description: 'What kind of entry or task it is.',
  }),
  ...aboutFields,
  subject: required(nullable(string), {
    description: 'The job with which the text begins: its name, and the start of its id.',
  }),
  method: required(nullable(string), { description: 'The method of the request.' }),
  path: required(nullable(string), { description: 'The path of the request, without its query.' }),
  step: required(nullable(integer), { description: 'The number of the gradient step, from 1.' }),
  steps: required(nullable(integer), { description: 'How many gradient steps the job has.' }),
  metrics: required(nullable(string), {
    description: 'The loss and the reward of the gradient step, in words.',
  }),
  record_id: required(nullable(string), { description: 'The record of the sink.' }),
  event: required(nullable(string), {
    description: 'The type of the job event, or the event of the delivery.',
  }),
  attempt: required(nullable(integer), {
    description: 'The number of the attempt to deliver, from 1.',
  }),
  copy,
  outcome: required(nullable(string), {
    description: 'Its outcome in a word or two: a status, failed, NaN, valid.',
  }),
  problem: required(boolean, {
    description: 'Whether it failed, was refused, or has a value that is not finite.',
  }),
  scheduled: required(boolean, { description: 'Whether it is still to come.' }),
})
export const timeline = model('Timeline', {
  now: required(string, { description: 'The time on the clock.' }),
  world: required(nullable(string), {
    description: 'The name of the world, if each API key has its own.',
  }),
  entries: required(list(timelineItem), {
    description: 'In order of time. At the same moment, effects follow their causes.',
  }),
  left_out: required(integer, {
    description: 'How many entries were left out: old gradient steps first.',
  }),
})
export const timelineQuery = controlQuery({
  job: optional(string, {
    description: 'The id of a job. Returns only what is about it, and what that caused.',
  }),
  limit: upTo(10_000, 1000, 'The most entries, and the most scheduled tasks.'),
})

/** An entry or a scheduled task of the timeline. */
export type TimelineItem = Infer<typeof timelineItem>
/** What happened and what is scheduled, with causes. */
export type TimelineState = Infer<typeof timeline>
