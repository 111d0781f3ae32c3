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
import type { WorldRecord } from '../engine/snapshot/records.js'
import type { AdversaryRule, AutomationRule, Scenario } from '../scenario/scenario.js'

/**
 * The schemas of the control API. Clients infer their types from them. Times are in ISO 8601 on the
 * emulator's clock.
 */

/** What a caller may send for a set of fields: a field with a default may be left out. */
type Sent<F extends Fields> = {
  [
    K in keyof F as F[K] extends Field<unknown, 'required'> | Schema<unknown> ? K : never
  ]: FieldValue<F[K]>
} & {
  [K in keyof F as F[K] extends Field<unknown, 'required'> | Schema<unknown> ? never : K]?:
    FieldValue<F[K]> | undefined
}

/** Holds the type of what a caller may send. It never has a value. */
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

/** An object whose fields another schema declares: the scenario's, or that of snapshots. */
function objectOf<T>(): Schema<T> {
  return dictionary(anything) as Schema<unknown> as Schema<T>
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
    description:
      'Set if each API key has a world of its own. The Svtrain-World header then selects one.',
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
    description: `Scenario seconds per real second, at most ${FASTEST}.`,
  }),
})

export const advance = controlBody('Advance', {
  by: optional(union([number, string]), {
    description: 'A duration such as 10m, or milliseconds. Pass either `by` or `to`.',
  }),
  to: optional(string, { description: 'A moment in ISO 8601, such as 2026-01-01T00:10:00Z.' }),
})

export const settleRequest = controlBody('SettleRequest', {
  within: optional(union([number, string]), {
    description: 'How long it may take at most, in real time: 30s, or milliseconds.',
  }),
  most: optional(integer, { description: 'How many scheduled tasks may run at most.' }),
})

export const settled = model('Settled', {
  from: string,
  to: string,
  happened: integer,
  text: string,
})

export const scenarios = model('Scenarios', { scenarios: list(named) })
export const currentScenario = model('CurrentScenario', {
  scenario: objectOf<Scenario>(),
  yaml: string,
})
const whichScenario = {
  name: optional(string, { description: 'The name of a built-in scenario.' }),
  scenario: optional(union([string, dictionary(anything)]), {
    description: 'The name of a built-in scenario, or a whole scenario.',
  }),
}
export const scenarioChoice = controlBody('ScenarioChoice', {
  ...whichScenario,
  reset: defaulted(boolean, () => false, {
    description: 'Whether to start over with it. By default, existing records stay.',
  }),
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
  model: optional(string, {
    description: 'The id or name of a model. A new name creates a model.',
  }),
  kind: defaulted(kind, () => 'rl' as const),
  trajectories: defaulted(boundedInteger({ ge: 0, le: 1_000_000 }), () => 6, {
    description:
      'The number of trajectories. Every other one has the reward 1; a single one has nothing to train on. For an SFT job, the number of lines.',
  }),
})
export const jobFilter = controlQuery({
  model: optional(string, { description: 'The id or name of a model.' }),
  status: optional(status),
  limit: optional(boundedInteger({ ge: 1 }), { description: 'Returns only the newest jobs.' }),
})
export const jobPath = parameters('path', { job_id: string })
export const failRequest = controlBody('FailRequest', { error_message: optional(string) })

export const eventSlice = controlQuery({
  from: defaulted(integer, () => 0, {
    description: 'The index of the first event. A negative index counts from the end.',
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
  points: defaulted(boundedInteger({ ge: 2, le: 100_000 }), () => 2000, {
    description: 'The most values per metric. Longer series are thinned; peaks are kept.',
  }),
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

export const secretNames = model('SecretNames', { secrets: list(string) })
export const secretRequest = controlBody('SecretRequest', { name: string, value: string })
export const namePath = parameters('path', { name: string })

const duration = required(string, { description: 'Such as 250ms, 2s or 1h30m.' })

const webhook = model('ControlWebhook', {
  name: string,
  url: nullable(string),
  access_token: optional(string, { description: 'The name of a secret.' }),
  secret: optional(string, { description: 'The name of a secret.' }),
  signature: model('WebhookSignature', {
    header: string,
    encoding: literal('hex', 'base64'),
    prefix: string,
    standard: boolean,
    timestamps: literal('wall', 'clock'),
  }),
  timeout: duration,
  retries: list(string),
  adversary: list(objectOf<AdversaryRule>()),
  disabled: required(nullable(string), { description: 'Why it is disabled, or null.' }),
})
export const webhooks = model('Webhooks', { webhooks: list(webhook) })
export const automations = model('Automations', {
  automations: list(objectOf<AutomationRule>()),
})
/** A webhook or an automation, written as in a scenario. */
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

export const triggerRequest = controlBody('TriggerRequest', {
  event: required(string, {
    description: 'The name of the event, such as ADD_ARTIFACT_ALIAS, in any case.',
  }),
  job_id: optional(string, {
    description: 'Takes the defaults of the other fields from this job.',
  }),
  to: optional(string, {
    description: 'The name of a webhook that receives the event without an automation.',
  }),
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
  job: optional(string, { description: 'The id of the job that caused them.' }),
  limit: defaulted(boundedInteger({ ge: 1, le: 20_000 }), () => 1000, {
    description: 'Returns only the latest deliveries.',
  }),
})

export const sinkFilter = controlQuery({
  limit: defaulted(boundedInteger({ ge: 1, le: 10_000 }), () => 10_000, {
    description: 'Returns only the latest records.',
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
  operation: optional(string, { description: 'An operation id, such as createRlTrainingJob.' }),
  method: optional(string),
  path: optional(string, { description: 'A glob. A star also matches slashes.' }),
  status: optional(integer),
  job: optional(string, { description: 'The id of a job that the request created or read.' }),
  after: optional(integer, {
    description: 'The id of a journal entry. Returns only requests after it.',
  }),
}

export const requestFilter = controlQuery({
  ...which,
  limit: defaulted(boundedInteger({ ge: 1, le: 10_000 }), () => 100, {
    description: 'Returns the latest requests, or with `after` the next ones.',
  }),
})
export const requestCountFilter = controlQuery(which)
export const requestWait = controlQuery({
  ...which,
  count: defaulted(boundedInteger({ ge: 1, le: 10_000 }), () => 1),
  timeout: defaulted(string, () => '10s', { description: 'In real time, at most 5m.' }),
})

const entryFields = { id: integer, at: string, cause: nullable(integer), text: string }

const requestEntry = model('RequestEntry', {
  ...entryFields,
  kind: literal('request'),
  host: string,
  method: string,
  path: string,
  query: string,
  operation: optional(string),
  status: optional(integer),
  lost: optional(literal('disconnect', 'hang'), {
    description:
      'Set if no answer was given on purpose, or half of one: then `status` is set, too.',
  }),
  took: optional(number, { description: 'Milliseconds of real time until the answer was ready.' }),
  detail: optional(string, { description: 'Why an error was answered, without keys.' }),
  hint: optional(string, { description: 'What the client may have meant.' }),
  effects: list(string),
})

const entry = union([
  requestEntry,
  model('JobEntry', {
    ...entryFields,
    kind: literal('job'),
    job_id: string,
    model: string,
    event: string,
  }),
  model('DeliveryEntry', {
    ...entryFields,
    kind: literal('delivery'),
    delivery_id: string,
    attempt: integer,
    webhook: string,
    url: string,
    event: string,
    status: optional(integer),
    error: optional(string),
  }),
  model('ReceiptEntry', {
    ...entryFields,
    kind: literal('receipt'),
    record_id: string,
    verdict: string,
  }),
  model('NoteEntry', { ...entryFields, kind: literal('note') }),
])

export const requests = model('Requests', {
  requests: list(requestEntry),
  next: required(integer, { description: 'Pass it as `after` to read on.' }),
})
export const requestCount = model('RequestCount', { count: integer })
export const requestsSeen = model('RequestsSeen', { requests: list(requestEntry) })

/** By default the answer is text. */
export const trace = model('Trace', { entries: list(entry) }) as Schema<
  { entries: Infer<typeof entry>[] } | string
>
export const traceQuery = controlQuery({
  job: optional(string, {
    description: 'The id of a job. Returns only what caused it and what it caused.',
  }),
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
    description: 'Whether to include API keys, secrets, deliveries and the state of faults.',
  }),
})

export const snapshot = model('Snapshot', {
  format: literal('svtrain-emulator snapshot'),
  version: integer,
  digest: required(string, { description: 'Detects a snapshot that was altered.' }),
  records: list(objectOf<WorldRecord>()),
  secrets: optional(string, {
    description: 'The records that contain secrets, in base64. Not encrypted.',
  }),
})
/** A snapshot. Its values are checked when it is read. */
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
  jobs: integer,
  running_jobs: integer,
  secrets_without_value: required(list(string), {
    description: 'Secrets without a value. Deliveries that they should sign are sent unsigned.',
  }),
})

export const streamQuery = controlQuery({
  after: optional(integer, {
    description: 'The id of a journal entry. The stream begins with the entries after it.',
  }),
})
/** The data of the server-sent events, by the names of the events. */
export const streamEvents = {
  entries: model('StreamEntries', {
    entries: list(entry),
    skipped: required(integer, { description: 'How many entries were left out before these.' }),
  }),
  jobs: model('StreamJobs', {
    jobs: list(job),
    skipped: required(integer, { description: 'How many changes were left out before these.' }),
  }),
  clock,
  reset: model('StreamReset', {}),
}

export type Info = Infer<typeof info>
export type ClockState = Infer<typeof clock>
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
export type ControlWebhook = Infer<typeof webhook>
export type Entry = Infer<typeof entry>
export type RequestEntry = Infer<typeof requestEntry>
export type Pending = Infer<typeof pending>
export type StreamEvents = {
  [Name in keyof typeof streamEvents]: Infer<(typeof streamEvents)[Name]>
}
