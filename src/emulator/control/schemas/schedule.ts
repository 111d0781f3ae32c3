import type { TaskFacts } from '../../../base/clock/timer-queue.js'
import { optional, required } from '../../../service/contract/pydantic/fields.js'
import { integer } from '../../../service/contract/pydantic/integer.js'
import { list, nullable } from '../../../service/contract/pydantic/containers.js'
import { literal } from '../../../service/contract/pydantic/literal.js'
import { model } from '../../../service/contract/pydantic/model.js'
import type { Infer } from '../../../service/contract/pydantic/schema.js'
import { string } from '../../../service/contract/pydantic/scalars.js'
import { controlQuery, upTo } from './body-and-query.js'

type TaskKind = TaskFacts['kind']

/** The kinds of the clock: the compiler refuses one more, and one less. */
const TASK_KINDS: Readonly<Record<TaskKind, true>> = {
  job: true,
  timeline: true,
  checkpoint: true,
  delivery: true,
  response: true,
  task: true,
}
export const taskKinds = Object.keys(TASK_KINDS) as TaskKind[]
export const aboutFields = {
  text: required(string, { description: 'What happens, in words.' }),
  job_id: required(nullable(string), { description: 'The job that it is about.' }),
  delivery_id: required(nullable(string), { description: 'The delivery that it is about.' }),
}
const scheduledTask = model('ScheduledTask', {
  at: required(string, { description: 'When it happens. Advance the clock `to` it.' }),
  kind: required(literal(...taskKinds), { description: 'What kind of thing happens.' }),
  ...aboutFields,
  cause: required(nullable(integer), { description: 'The id of the entry that led to it.' }),
})
const conditionalTask = model('ConditionalTask', {
  kind: required(literal('job', 'timeline', 'fault'), {
    description: 'Which list of the scenario says so: jobs, timeline or faults.',
  }),
  when: required(string, { description: 'What must happen first, in words.' }),
  text: required(string, { description: 'What happens then, in words.' }),
  fault_id: required(nullable(string), { description: 'The fault that it is about.' }),
})
export const schedule = model('Schedule', {
  now: required(string, { description: 'The time on the clock.' }),
  total: required(integer, { description: 'How many tasks are scheduled.' }),
  tasks: required(list(scheduledTask), { description: 'The scheduled tasks, the next one first.' }),
  conditional: required(list(conditionalTask), {
    description: 'What happens with the next jobs, events and calls. Empty for one job.',
  }),
})
export const scheduleQuery = controlQuery({
  job: optional(string, { description: 'The id of a job. Returns only its tasks.' }),
  limit: upTo(10_000, 100, 'The most tasks to return.'),
})

/** A scheduled task, and when it happens. */
export type ScheduledTask = Infer<typeof scheduledTask>
/** What happens with the next job, event or call. */
export type ConditionalTask = Infer<typeof conditionalTask>
/** What is scheduled, the next task first. */
export type Schedule = Infer<typeof schedule>
