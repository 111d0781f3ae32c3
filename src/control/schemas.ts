import { FASTEST, clockModes } from '../clock/clock.js'
import { anything } from '../contract/pydantic/anything.js'
import { boolean } from '../contract/pydantic/boolean.js'
import { dictionary } from '../contract/pydantic/dictionary.js'
import {
  defaulted,
  optional,
  required,
  type Field,
  type Fields,
  type FieldValue,
  type Shape,
} from '../contract/pydantic/fields.js'
import { boundedInteger, integer } from '../contract/pydantic/integer.js'
import { list } from '../contract/pydantic/list.js'
import { literal } from '../contract/pydantic/literal.js'
import { model } from '../contract/pydantic/model.js'
import { nullable } from '../contract/pydantic/nullable.js'
import { number } from '../contract/pydantic/number.js'
import { parameters, type Parameters } from '../contract/pydantic/parameters.js'
import type { Infer, Schema } from '../contract/pydantic/schema.js'
import { string } from '../contract/pydantic/string.js'
import { union } from '../contract/pydantic/union.js'

/** What goes over the wire of the control API. Times are ISO 8601 on the emulator's clock. */

/** What a caller may send for a set of fields: a field with a default may be left out. */
type Sent<F extends Fields> = {
  [
    K in keyof F as F[K] extends Field<unknown, 'required'> | Schema<unknown> ? K : never
  ]: FieldValue<F[K]>
} & {
  [K in keyof F as F[K] extends Field<unknown, 'required'> | Schema<unknown> ? never : K]?:
    FieldValue<F[K]> | undefined
}

/** Carries the type of what a caller may send. There is never a value. */
export interface Accepts<out T> {
  readonly sent?: T
}

/** The body of a call. A key that no field names is refused, so that no typo is ignored. */
function controlBody<F extends Fields>(
  name: string,
  fields: F,
): Schema<Shape<F>> & Accepts<Sent<F>> {
  return model(name, fields, { extra: 'forbid' })
}

/** The query of a call. A parameter that no field names is refused. */
function controlQuery<F extends Fields>(fields: F): Parameters<Shape<F>> & Accepts<Sent<F>> {
  return parameters('query', fields, { extra: 'forbid' })
}

const named = model('NamedScenario', { name: string, description: string })

export const ready = model('Ready', { ready: boolean })

export const info = model('Info', {
  name: string,
  version: string,
  seed: integer,
  scenario: named,
  training_url: string,
  inference_url: string,
  base_path: string,
  isolate: required(nullable(literal('api-key')), {
    description: 'Where each API key has a world of its own: the header Svtrain-World chooses one.',
  }),
  started_at: string,
  control_token_needed: boolean,
})

export const clock = model('Clock', {
  mode: literal(...clockModes),
  speed: number,
  now: string,
  pending: integer,
  next_at: nullable(string),
})

export const clockAfter = model('ClockAfter', {
  mode: literal(...clockModes),
  speed: number,
  now: string,
  pending: integer,
  next_at: nullable(string),
  happened: boolean,
})

export const clockChange = controlBody('ClockChange', {
  mode: optional(literal(...clockModes)),
  speed: optional(number, {
    description: `Seconds of the scenario per second of real time, at most ${FASTEST}.`,
  }),
})

/** One of the two; a number is milliseconds. */
export const advance = controlBody('Advance', {
  by: optional(union([number, string])),
  to: optional(string),
})

export const settleRequest = controlBody('SettleRequest', {
  within: optional(union([number, string])),
  most: optional(integer),
})

export const settled = model('Settled', {
  from: string,
  to: string,
  happened: integer,
  text: string,
})

export const scenarios = model('Scenarios', { scenarios: list(named) })
export const currentScenario = model('CurrentScenario', {
  scenario: dictionary(anything),
  yaml: string,
})
const whichScenario = {
  name: optional(string, { description: 'Of a built-in scenario.' }),
  scenario: optional(union([string, dictionary(anything)]), {
    description: 'The name of a built-in scenario, or a scenario as it stands here.',
  }),
}
export const scenarioChoice = controlBody('ScenarioChoice', {
  ...whichScenario,
  reset: defaulted(boolean, () => false),
})
export const scenarioChosen = model('ScenarioChosen', { scenario: named })
export const resetRequest = controlBody('ResetRequest', whichScenario)

const controlModel = model('ControlModel', {
  id: string,
  entity: string,
  project: string,
  name: string,
  base_model: string,
  checkpoints: list(
    model('ControlCheckpoint', {
      step: integer,
      id: string,
      created_at: string,
      aliases: list(string),
      metrics: dictionary(nullable(number)),
    }),
  ),
  jobs: integer,
})
export const models = model('Models', { models: list(controlModel) })
export const modelRequest = controlBody('ModelRequest', {
  name: string,
  project: optional(string),
  entity: optional(string),
  base_model: optional(string),
})

const kind = literal('rl', 'sft')
const status = literal('queued', 'running', 'ended', 'failed')

export const job = model('Job', {
  id: string,
  kind,
  model: model('JobModel', { id: string, entity: string, project: string, name: string }),
  ordinal: integer,
  status,
  stalled: boolean,
  step: integer,
  steps: integer,
  latest: dictionary(anything),
  created_at: string,
  training_start: nullable(string),
  training_end: nullable(string),
  error_message: nullable(string),
  checkpoint_step: nullable(integer),
  events: integer,
  request_id: nullable(integer),
})
export const jobs = model('Jobs', { jobs: list(job) })
export const jobRequest = controlBody('JobRequest', {
  model: optional(string, { description: 'The id or name of a model; an unknown name makes one.' }),
  kind: defaulted(kind, () => 'rl' as const),
  trajectories: defaulted(boundedInteger({ ge: 0, le: 1_000_000 }), () => 6, {
    description: 'Of an SFT job, its lines.',
  }),
})
export const jobFilter = controlQuery({
  model: optional(string),
  status: optional(status),
  limit: optional(boundedInteger({ ge: 1 }), { description: 'The newest so many.' }),
})
export const jobPath = parameters('path', { job_id: string })
export const failRequest = controlBody('FailRequest', { error_message: optional(string) })

export const eventSlice = controlQuery({
  from: defaulted(integer, () => 0, {
    description: 'An index; a negative one counts from the end.',
  }),
  limit: defaulted(boundedInteger({ ge: 1, le: 1000 }), () => 100),
})
export const events = model('JobEvents', {
  events: list(
    model('ControlEvent', {
      index: integer,
      id: string,
      type: string,
      at: string,
      data: dictionary(anything),
    }),
  ),
  total: integer,
})

export const seriesQuery = controlQuery({
  points: defaulted(boundedInteger({ ge: 2, le: 100_000 }), () => 2000),
})
export const series = model('Series', {
  steps: list(integer),
  metrics: dictionary(list(nullable(number))),
})

const fault = model('Fault', {
  id: string,
  fault: string,
  name: optional(string),
  open: boolean,
  hits: integer,
  rule: dictionary(anything),
})
export const faults = model('Faults', { faults: list(fault) })
export const oneFault = fault
export const faultPath = parameters('path', { fault_id: string })
export const faultRequest = dictionary(anything)

export const streamQuery = controlQuery({ after: optional(integer) })

export const secretNames = model('SecretNames', { secrets: list(string) })
export const secretRequest = controlBody('SecretRequest', { name: string, value: string })
export const namePath = parameters('path', { name: string })

export const webhooks = model('Webhooks', { webhooks: list(dictionary(anything)) })
export const automations = model('Automations', { automations: list(dictionary(anything)) })
/** As a scenario would have it. */
export const partRequest = dictionary(anything)

export const testRequest = controlBody('TestRequest', {
  payload: optional(union([string, dictionary(anything)])),
})
export const testOutcome = model('TestOutcome', {
  status: nullable(integer),
  took: number,
  error: nullable(string),
  response_excerpt: nullable(string),
})

/** An event, what is said of it, and with `to` the one webhook that it goes to. */
export const triggerRequest = controlBody('TriggerRequest', {
  event: required(string, { description: 'Its name, such as ADD_ARTIFACT_ALIAS, in any case.' }),
  job_id: optional(string, { description: 'The facts begin with those of this job.' }),
  to: optional(string, { description: 'A webhook, which gets it without an automation.' }),
  entity: optional(string),
  project: optional(string),
  registry: optional(string),
  collection: optional(string),
  version: optional(integer),
  alias: optional(string),
  tag: optional(string),
  author: optional(string),
  metadata: optional(dictionary(anything)),
  run: optional(string),
  state: optional(literal('running', 'finished', 'failed')),
  metrics: optional(dictionary(number)),
})
export const triggered = model('Triggered', { deliveries: list(string) })

const deliveryState = literal('pending', 'delivered', 'failed', 'cancelled')

const delivery = model('ControlDelivery', {
  id: string,
  automation: string,
  webhook: string,
  event: string,
  state: deliveryState,
  created_at: string,
  job_id: nullable(string),
  attempts: list(
    model('ControlAttempt', {
      attempt: integer,
      at: string,
      status: nullable(integer),
      took: number,
      error: nullable(string),
      response_excerpt: nullable(string),
    }),
  ),
  body: string,
  headers: dictionary(string),
  verdict: nullable(string),
  diagnosis: nullable(string),
})
export const oneDelivery = delivery
export const deliveries = model('Deliveries', { deliveries: list(delivery) })
export const deliveryPath = parameters('path', { delivery_id: string })
export const deliveryFilter = controlQuery({
  webhook: optional(string),
  automation: optional(string),
  event: optional(string),
  state: optional(deliveryState),
  job: optional(string, { description: 'The id of the job that led to it.' }),
  limit: defaulted(boundedInteger({ ge: 1, le: 20_000 }), () => 1000, {
    description: 'The latest so many.',
  }),
})

export const sinkFilter = controlQuery({
  limit: defaulted(boundedInteger({ ge: 1, le: 10_000 }), () => 10_000, {
    description: 'The latest so many.',
  }),
})
export const sinkRecords = model('SinkRecords', {
  records: list(
    model('SinkRecord', {
      id: string,
      at: string,
      method: string,
      path: string,
      headers: dictionary(string),
      body: string,
      body_base64: string,
      verdict: string,
      diagnosis: nullable(string),
      duplicate_of: nullable(string),
      same_bytes_as: nullable(string),
      latency: nullable(number),
    }),
  ),
})

const which = {
  operation: optional(string, { description: 'Its id, such as createRlTrainingJob.' }),
  method: optional(string),
  path: optional(string, { description: 'A glob; a star fits slashes, too.' }),
  status: optional(integer),
  job: optional(string, { description: 'The id of a job that it created or asked for.' }),
  after: optional(integer, { description: 'Only those recorded after the one of this id.' }),
}

export const requestFilter = controlQuery({
  ...which,
  limit: defaulted(boundedInteger({ ge: 1, le: 10_000 }), () => 100),
})
export const requestCountFilter = controlQuery(which)
export const requestWait = controlQuery({
  ...which,
  count: defaulted(boundedInteger({ ge: 1, le: 10_000 }), () => 1),
  timeout: defaulted(string, () => '10s', { description: 'Of real time, at most 5m.' }),
})

/** Entries of the journal; newest last. `next` is the `after` that goes on where they end. */
export const requests = model('Requests', {
  requests: list(dictionary(anything)),
  next: integer,
})
export const requestCount = model('RequestCount', { count: integer })
export const requestsSeen = model('RequestsSeen', { requests: list(dictionary(anything)) })

export const traceQuery = controlQuery({
  job: optional(string, { description: 'Only what led to this job, and what it led to.' }),
  format: defaulted(literal('text', 'json'), () => 'text' as const),
})

export const pending = model('Pending', {
  pending: list(
    model('PendingThing', {
      what: literal('job', 'fault', 'delivery', 'request'),
      which: string,
      why: string,
    }),
  ),
  text: string,
})

export const snapshotQuery = controlQuery({
  secrets: defaulted(boolean, () => true, {
    description: 'Whether API keys, secrets, deliveries and what faults remember are in it.',
  }),
})

/** Written by the emulator alone: its digest tells whether anything was altered. */
export const snapshot = model('Snapshot', {
  format: string,
  version: integer,
  digest: string,
  records: list(dictionary(anything)),
  secrets: optional(string, { description: 'Of whom it has: base64, not encrypted.' }),
})
/** The keys of a snapshot. Reading the snapshot checks their values. */
export const snapshotRequest = controlBody('SnapshotRequest', {
  format: optional(anything),
  version: optional(anything),
  digest: optional(anything),
  records: optional(anything),
  secrets: optional(anything),
})

export const restored = model('Restored', {
  scenario: string,
  seed: integer,
  now: string,
  models: integer,
  /** All of them, and those that go on. */
  jobs: integer,
  running_jobs: integer,
  secrets_without_value: required(list(string), {
    description: 'What these sign goes out unsigned.',
  }),
})

export type Info = Infer<typeof info>
export type ClockState = Infer<typeof clock>
export type ClockAfter = Infer<typeof clockAfter>
export type Settled = Infer<typeof settled>
export type NamedScenario = Infer<typeof named>
export type CurrentScenario = Infer<typeof currentScenario>
export type ControlModel = Infer<typeof controlModel>
export type ControlJob = Infer<typeof job>
export type ControlEvents = Infer<typeof events>
export type Series = Infer<typeof series>
export type ControlFault = Infer<typeof fault>
export type TestOutcome = Infer<typeof testOutcome>
export type ControlDelivery = Infer<typeof delivery>
export type SinkRecord = Infer<typeof sinkRecords>['records'][number]
export type Restored = Infer<typeof restored>
