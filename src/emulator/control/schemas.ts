import { FASTEST, clockModes } from '../../base/clock/clock.js'
import { anything } from '../../service/contract/pydantic/anything.js'
import { boolean } from '../../service/contract/pydantic/boolean.js'
import { dictionary } from '../../service/contract/pydantic/dictionary.js'
import {
  defaulted,
  optional,
  required,
  type Field,
  type Fields,
  type FieldValue,
  type Shape,
} from '../../service/contract/pydantic/fields.js'
import { boundedInteger, integer } from '../../service/contract/pydantic/integer.js'
import { list } from '../../service/contract/pydantic/list.js'
import { literal } from '../../service/contract/pydantic/literal.js'
import { model } from '../../service/contract/pydantic/model.js'
import { nullable } from '../../service/contract/pydantic/nullable.js'
import { number } from '../../service/contract/pydantic/number.js'
import { parameters, type Parameters } from '../../service/contract/pydantic/parameters.js'
import type { Infer, Schema } from '../../service/contract/pydantic/schema.js'
import { string } from '../../service/contract/pydantic/string.js'
import { union } from '../../service/contract/pydantic/union.js'
import type { LOCAL_API_KEY } from '../local-key.js'
import type { HarLog } from '../report-options.js'
import type { SavedRecord } from '../snapshot.js'
import {
  checkKey,
  checkNames,
  soughtMistakes,
  type CheckKey,
  type CheckName,
} from '../../service/scenario/check-names.js'
import type { AdversaryRule, AutomationRule, Scenario } from '../../service/scenario/scenario.js'
import { RUN_STATES } from '../../service/scenario/run-states.js'

/**
 * The schemas of the control API. Clients infer their types from them. Times are in ISO 8601 on the
 * emulator's clock.
 */

/** What a caller may send for a set of fields: a field with a default may be left out. */
type InputFields<F extends Fields> = {
  [
    K in keyof F as F[K] extends Field<unknown, 'required'> | Schema<unknown> ? K : never
  ]: FieldValue<F[K]>
} & {
  [K in keyof F as F[K] extends Field<unknown, 'required'> | Schema<unknown> ? never : K]?:
    | FieldValue<F[K]>
    | undefined
}

/** Holds the type of what a caller may send. It never has a value. */
export interface Accepts<out T> {
  readonly sent?: T
}

/**
 * The body of a call. A key that no field names is refused, so that no typo is ignored. Tools of MCP take their arguments
 * from `fields`.
 */
export function controlBody<F extends Fields>(
  name: string,
  fields: F,
): Schema<Shape<F>> & Accepts<InputFields<F>> & { readonly fields: F } {
  return { ...model<F>(name, fields, { extra: 'forbid' }), fields }
}

/** The query of a call. A parameter that no field names is refused. */
function controlQuery<F extends Fields>(
  fields: F,
): Parameters<Shape<F>> & Accepts<InputFields<F>> & { readonly fields: F } {
  return { ...parameters('query', fields, { extra: 'forbid' }), fields }
}

/** An object whose fields another schema declares: the scenario's, or that of snapshots. */
export function objectOf<T>(): Schema<T> {
  return dictionary(anything) as Schema<unknown> as Schema<T>
}

const named = model('NamedScenario', {
  name: required(string, { description: 'The name of the scenario.' }),
  description: required(string, { description: 'What happens in it.' }),
  built_in: required(boolean, { description: 'Whether it is part of the package.' }),
})

export const ready = model('Ready', { ready: boolean })

export const documentPath = parameters('path', { document: string })
export const documentQuery = controlQuery({
  contract: optional(string, {
    description: 'The contract of the service, such as 2026-01. By default, that of the world.',
  }),
})

export const info = model('Info', {
  name: required(string, { description: 'Always svtrain-emulator.' }),
  version: required(string, { description: 'The version of the package.' }),
  seed: required(integer, { description: 'The seed of all draws.' }),
  scenario: named,
  training_url: required(string, { description: 'The base URL of the training API.' }),
  inference_url: required(string, { description: 'The base URL of the inference API.' }),
  base_path: required(string, { description: 'The path in front of /v1.' }),
  contract: required(string, { description: 'The contract of the service, such as 2026-11.' }),
  isolate: required(nullable(literal('api-key')), {
    description:
      'Set if each API key has a world of its own. The Svtrain-World header then selects one.',
  }),
  started_at: required(string, { description: 'When the world began, on its clock.' }),
  control_token_needed: required(boolean, {
    description: 'Whether calls that change something need the token.',
  }),
})

const clockFields = {
  mode: required(literal(...clockModes), { description: 'How time passes.' }),
  speed: required(number, { description: 'Scenario seconds per real second.' }),
  now: required(string, { description: 'The time on the clock.' }),
  pending: required(integer, { description: 'How many tasks are scheduled.' }),
  next_at: required(nullable(string), { description: 'When the next one is due.' }),
}
export const clock = model('Clock', clockFields)
export const clockAfter = model('ClockAfter', {
  ...clockFields,
  happened: required(boolean, { description: 'Whether a task ran.' }),
})

export const clockChange = controlBody('ClockChange', {
  mode: optional(literal(...clockModes), { description: 'How time passes from now on.' }),
  speed: optional(number, {
    description: `Scenario seconds per real second, at most ${FASTEST}.`,
  }),
})

export const advance = controlBody('Advance', {
  by: optional(union([number, string]), {
    description: 'A duration such as 10m, or milliseconds. Pass either `by` or `to`.',
  }),
  to: optional(string, { description: 'A moment in ISO 8601, such as 2026-01-01T00:10:00Z.' }),
  note: optional(boolean, { description: 'Whether the trace says so. Default: true.' }),
})

export const settleRequest = controlBody('SettleRequest', {
  within: optional(union([number, string]), {
    description: 'How long it may take at most, in real time: 30s, or milliseconds.',
  }),
  most: optional(integer, { description: 'How many scheduled tasks may run at most.' }),
})

export const settled = model('Settled', {
  from: required(string, { description: 'The time before.' }),
  to: required(string, { description: 'The time after.' }),
  happened: required(integer, { description: 'How many tasks ran.' }),
  text: required(string, { description: 'A report for people.' }),
})

export const scenarios = model('Scenarios', { scenarios: list(named) })
export const currentScenario = model('CurrentScenario', {
  scenario: objectOf<Scenario>(),
  yaml: required(string, { description: 'The scenario as YAML, without defaults.' }),
  has_functions: required(boolean, {
    description: 'Whether it has functions, which only code can contain: the YAML cannot be used.',
  }),
})
export const scenarioQuery = controlQuery({
  name: optional(string, {
    description:
      'The name of a scenario of `GET /_emulator/scenarios`. By default, the current one.',
  }),
})
export const scenarioSchema = dictionary(anything)
export const checkRequest = controlBody('CheckRequest', {
  yaml: required(string, { description: 'A scenario as YAML or JSON.' }),
})
export const scenarioChecked = model('ScenarioChecked', {
  scenario: required(nullable(named), { description: 'Null if the text is not valid.' }),
  problems: required(
    list(
      model('ScenarioProblem', {
        place: required(string, {
          description: 'The path of the wrong value: `faults[0].status`.',
        }),
        message: required(string, { description: 'What is wrong, and what is allowed.' }),
        line: required(nullable(integer), { description: 'The line in the text, from 1.' }),
        column: required(nullable(integer), { description: 'The column in the line, from 1.' }),
        allowed: required(list(string), {
          description: 'The allowed values or keys, if they can be listed.',
        }),
        nearest: required(nullable(string), {
          description: 'The one that is most similar to what was written.',
        }),
      }),
    ),
    { description: 'Everything that is wrong, by line.' },
  ),
})
const whichScenario = {
  name: optional(string, {
    description:
      'The name of a built-in scenario, or of the one that the emulator was started with.',
  }),
  scenario: optional(union([string, dictionary(anything)]), {
    description: 'A name as in `name`, or a whole scenario.',
  }),
  yaml: optional(string, {
    description: 'A whole scenario as YAML. Values that were not shown keep their values.',
  }),
}
export const scenarioChoice = controlBody('ScenarioChoice', {
  ...whichScenario,
  reset: defaulted(boolean, () => false, {
    description: 'Whether to start over with it. By default, existing records stay.',
  }),
})
export const scenarioChosen = model('ScenarioChosen', { scenario: named })
export const resetRequest = controlBody('ResetRequest', {
  ...whichScenario,
  seed: optional(boundedInteger({ ge: 0, le: Number.MAX_SAFE_INTEGER }), {
    description: 'The seed of the fresh world, for this reset only.',
  }),
})

const controlModel = model('ControlModel', {
  id: required(string, { description: 'The id of the model.' }),
  entity: required(string, { description: 'The entity that owns it.' }),
  project: required(string, { description: 'Its project.' }),
  name: required(string, { description: 'Its name.' }),
  base_model: required(string, { description: 'The id of its base model.' }),
  checkpoints: list(
    model('ControlCheckpoint', {
      step: required(integer, { description: 'The step of the checkpoint.' }),
      id: required(string, { description: 'Its id.' }),
      created_at: required(string, { description: 'When it was added.' }),
      aliases: required(list(string), { description: 'Its aliases.' }),
      metrics: required(dictionary(nullable(number)), { description: 'Its metrics, by name.' }),
      served: required(boolean, { description: 'Whether chat serves it now.' }),
      served_from: required(nullable(string), {
        description: 'When chat starts to serve it. Null: at once.',
      }),
      served_until: required(nullable(string), {
        description: 'When chat stops to serve it. Null: never.',
      }),
      expires_at: required(nullable(string), { description: 'When it is deleted. Null: never.' }),
    }),
  ),
  deleted_steps: required(list(integer), {
    description: 'The steps of its deleted checkpoints, in ascending order.',
  }),
  jobs: required(integer, { description: 'How many jobs it has.' }),
})
export const models = model('Models', { models: list(controlModel) })
export const controlModelPath = parameters('path', { model_id: string })
export const checkpointPath = parameters('path', {
  model_id: string,
  step: boundedInteger({ ge: 0 }),
})
export const modelRequest = controlBody('ModelRequest', {
  name: required(string, { description: 'The name of the model.' }),
  project: optional(string, { description: 'The project. By default, demo.' }),
  entity: optional(string, { description: 'The entity (team or user) that owns the model.' }),
  base_model: optional(string, {
    description: 'The id of a base model. By default, the first one of the scenario.',
  }),
})

const ofEntity = optional(string, { description: 'The entity (team or user) that owns them.' })
const ofProject = optional(string, { description: 'The name of a project.' })
const newest = optional(boundedInteger({ ge: 1 }), { description: 'Returns only the newest ones.' })

const runFields = {
  path: required(string, { description: 'entity/project/name, as clients name it.' }),
  entity: required(string, { description: 'The entity that owns it.' }),
  project: required(string, { description: 'Its project.' }),
  name: required(string, { description: 'Its name in addresses: clients call it its id.' }),
  display_name: required(string, { description: 'Its name for people.' }),
  user: required(string, { description: 'The user that created it.' }),
  state: required(literal(...RUN_STATES), { description: 'Its state.' }),
  exit_code: required(nullable(integer), {
    description: 'What its program exited with. Null while it runs.',
  }),
  created_at: required(string, { description: 'When it was created.' }),
  updated_at: required(string, { description: 'When its program was last heard.' }),
  group: required(string, { description: 'Its group, or an empty text.' }),
  job_type: required(string, { description: 'The kind of its work, or an empty text.' }),
  tags: required(list(string), { description: 'Its tags.' }),
  rows: required(integer, { description: 'How many rows its history has.' }),
  last_step: required(nullable(integer), { description: 'Its last step. Null without rows.' }),
  metrics: required(dictionary(nullable(number)), {
    description: 'The last value of each metric, by name. Null if it is not finite.',
  }),
}
export const runs = model('Runs', { runs: list(model('ListedRun', runFields)) })
export const runsQuery = controlQuery({
  entity: ofEntity,
  project: ofProject,
  state: optional(literal(...RUN_STATES), { description: 'Returns only runs in this state.' }),
  limit: newest,
})
export const runPath = parameters('path', { entity: string, project: string, run: string })
const storedContent = model('StoredContent', {
  path: required(string, { description: 'Its path, such as config.yaml.' }),
  size: required(integer, { description: 'Its size in bytes.' }),
  digest: required(string, { description: 'The MD5 of its content, in base64.' }),
})
export const run = model('RunDetails', {
  ...runFields,
  notes: required(string, { description: 'Its notes.' }),
  config: required(dictionary(anything), { description: 'The settings of its program.' }),
  summary: required(dictionary(anything), {
    description: 'The last value of everything that it logged, and what its program set.',
  }),
  files: required(list(storedContent), { description: 'Its files.' }),
  logged_artifacts: required(list(string), {
    description: 'The artifacts that it logged, such as team/verse/rows:v0.',
  }),
  used_artifacts: required(list(string), { description: 'The artifacts that it used.' }),
})
export const history = model('RunHistory', {
  rows: required(
    list(
      model('HistoryRow', {
        step: required(integer, { description: 'The step.' }),
        values: required(dictionary(anything), {
          description: 'What was logged, by name. Numbers that are not finite are texts.',
        }),
      }),
    ),
    { description: 'In the order in which the program sent them.' },
  ),
})
export const historyQuery = controlQuery({
  metric: optional(string, { description: 'One metric. Rows without it are left out.' }),
  points: defaulted(boundedInteger({ ge: 2, le: 100_000 }), () => 2000, {
    description: 'The most rows. Others are left out at equal distances.',
  }),
})
export const fileQuery = controlQuery({
  path: required(string, { description: 'The path of the file, such as data/train.jsonl.' }),
})
/** The bytes of a file. */
export const fileContent = anything

const artifactFields = {
  path: required(string, { description: 'entity/project/name:v0, as clients name it.' }),
  entity: required(string, { description: 'The entity that owns it.' }),
  project: required(string, { description: 'Its project.' }),
  name: required(string, { description: 'The name of its collection.' }),
  version: required(string, { description: 'Its version, such as v0.' }),
  type: required(string, { description: 'Its type, such as dataset or lora.' }),
  aliases: required(list(string), { description: 'Its aliases.' }),
  tags: required(list(string), { description: 'Its tags.' }),
  size: required(integer, { description: 'The size of all of its files, in bytes.' }),
  file_count: required(integer, { description: 'How many files it has.' }),
  created_at: required(string, { description: 'When it was created.' }),
  job: required(nullable(string), {
    description: 'The id of the job that made it, if it is a checkpoint of a job.',
  }),
  run: required(nullable(string), { description: 'The run that logged it.' }),
}
export const artifacts = model('Artifacts', {
  artifacts: list(model('ListedArtifact', artifactFields)),
})
export const artifactsQuery = controlQuery({
  entity: ofEntity,
  project: ofProject,
  name: optional(string, { description: 'The name of a collection.' }),
  type: optional(string, { description: 'The type, such as dataset or lora.' }),
  limit: newest,
})
export const artifactPath = parameters('path', {
  entity: string,
  project: string,
  artifact: string,
})
export const artifact = model('ArtifactDetails', {
  ...artifactFields,
  url: required(string, {
    description: 'What training_data_url takes, and the name of an adapter in chats.',
  }),
  user: required(string, { description: 'The user that created it.' }),
  description: required(string, { description: 'Its description.' }),
  digest: required(string, { description: 'The digest of all of its files.' }),
  metadata: required(dictionary(anything), { description: 'Its metadata.' }),
  files: required(list(storedContent), { description: 'Its files.' }),
  used_by: required(list(string), { description: 'The runs that used it.' }),
  links: required(list(string), {
    description: 'Its names in the collections that it is linked to.',
  }),
})
export const collections = model('ArtifactCollections', {
  collections: list(
    model('ArtifactCollection', {
      path: required(string, { description: 'entity/project/name.' }),
      entity: required(string, { description: 'The entity that owns it.' }),
      project: required(string, { description: 'Its project.' }),
      name: required(string, { description: 'Its name.' }),
      type: required(string, { description: 'The type of its artifacts.' }),
      linked: required(boolean, {
        description: 'Whether its versions are links to artifacts of other collections.',
      }),
      versions: required(list(string), { description: 'Its versions, the newest first.' }),
      aliases: required(dictionary(string), { description: 'The version of each alias.' }),
      tags: required(list(string), { description: 'Its tags.' }),
      description: required(string, { description: 'Its description.' }),
      created_at: required(string, { description: 'When it was created.' }),
    }),
  ),
})
export const artifactRequest = controlBody('ArtifactRequest', {
  name: required(string, { description: 'The name of its collection.' }),
  files: required(
    dictionary(union([string, controlBody('Base64Content', { base64: required(string) })])),
    { description: 'The contents of its files by path: a text, or bytes as {"base64": "…"}.' },
  ),
  project: optional(string, { description: 'The project. By default, demo.' }),
  entity: optional(string, { description: 'The entity (team or user) that owns it.' }),
  type: optional(string, { description: 'Its type. By default, dataset.' }),
  description: optional(string, { description: 'Its description.' }),
  metadata: optional(dictionary(anything), { description: 'Its metadata.' }),
  aliases: optional(list(string), { description: 'Its aliases besides latest.' }),
  tags: optional(list(string), { description: 'Its tags.' }),
})

const kind = literal('rl', 'sft')
const status = literal('queued', 'running', 'ended', 'failed')

export const job = model('Job', {
  id: required(string, { description: 'The id of the job.' }),
  kind: required(kind, { description: 'Reinforcement learning or supervised fine-tuning.' }),
  model: model('JobModel', { id: string, entity: string, project: string, name: string }),
  ordinal: required(integer, { description: 'Its number among the jobs of its model, from 1.' }),
  status: required(status, { description: 'Its state, as the service shows it.' }),
  stalled: required(boolean, { description: 'Whether it waits until you resume it.' }),
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
  kind: defaulted(kind, () => 'rl' as const, {
    description: 'Reinforcement learning or supervised fine-tuning.',
  }),
  trajectories: defaulted(boundedInteger({ ge: 0, le: 1_000_000 }), () => 6, {
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
  status: optional(status, { description: 'Returns only jobs in this state.' }),
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
  limit: defaulted(boundedInteger({ ge: 1, le: 1000 }), () => 100, {
    description: 'The most events to return.',
  }),
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

const fault = model('Fault', {
  id: required(string, { description: 'The id of the fault.' }),
  fault: required(string, { description: 'Its kind, such as status.' }),
  name: optional(string, { description: 'The name that the scenario gave it.' }),
  open: required(boolean, { description: 'Whether it has an effect now.' }),
  hits: required(integer, { description: 'How many calls it has affected.' }),
  since: required(string, { description: 'When it was added, or its scenario began.' }),
  calls_left: required(nullable(integer), {
    description: 'How many more calls it can affect. Null: `calls` sets no limit to their number.',
  }),
  ends_at: required(nullable(string), { description: 'When its window ends. Null: never.' }),
  requests: required(list(integer), {
    description: 'The ids of the latest requests that it affected, at most 20, the last one first.',
  }),
  rule: required(dictionary(anything), {
    description: 'The fault as in a scenario, with all defaults.',
  }),
})
export const faults = model('Faults', { faults: list(fault) })
export const oneFault = fault
export const faultPath = parameters('path', { fault_id: string })
export const faultRequest = dictionary(anything)

export const secretNames = model('SecretNames', { secrets: list(string) })
export const secretRequest = controlBody('SecretRequest', {
  name: required(string, { description: 'The name by which webhooks refer to it.' }),
  value: required(string, { description: 'Its value.' }),
})
export const namePath = parameters('path', { name: string })

const duration = required(string, { description: 'Such as 250ms, 2s or 1h30m.' })

const webhook = model('ControlWebhook', {
  name: required(string, { description: 'Its name.' }),
  url: required(nullable(string), { description: 'The URL of the receiver. Null: there is none.' }),
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
  payload: optional(union([string, dictionary(anything)]), {
    description: 'The body to send: a map, or JSON as text.',
  }),
})
export const testOutcome = model('TestOutcome', {
  status: required(nullable(integer), { description: 'The HTTP status of the answer.' }),
  took: required(number, { description: 'Milliseconds of real time until the answer.' }),
  error: required(nullable(string), { description: 'Why there was no good answer.' }),
  response_excerpt: required(nullable(string), { description: 'The beginning of the answer.' }),
})

export const explainRequest = controlBody('ExplainRequest', {
  headers: required(dictionary(string), { description: 'The headers, as they arrived.' }),
  body: required(string, { description: 'The raw body, as it arrived.' }),
})
export const explained = model('Explained', {
  verdict: required(string, { description: 'What the emulator says about the signature.' }),
  diagnosis: required(nullable(string), {
    description: 'What is wrong with it, and what to do. Null: it is valid.',
  }),
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
  entity: optional(string, { description: 'The entity of the event.' }),
  project: optional(string, { description: 'The project of the event.' }),
  registry: optional(string, { description: 'The registry that the event belongs to.' }),
  collection: optional(string, { description: 'The collection of the artifact.' }),
  version: optional(integer, { description: 'The version of the artifact.' }),
  alias: optional(string, { description: 'The alias that was added.' }),
  tag: optional(string, { description: 'The tag that was added.' }),
  author: optional(string, { description: 'The user who caused the event.' }),
  metadata: optional(dictionary(anything), { description: 'The metadata of the artifact.' }),
  run: optional(string, { description: 'The name of the run.' }),
  state: optional(literal(...RUN_STATES), {
    description: 'The state of the run.',
  }),
  metrics: optional(dictionary(number), { description: 'Metrics of the run, by name.' }),
})
export const triggered = model('Triggered', { deliveries: list(string) })

const deliveryState = literal('pending', 'delivered', 'failed', 'cancelled')

const delivery = model('ControlDelivery', {
  id: required(string, { description: 'Its id, which is the same in each attempt.' }),
  automation: required(string, { description: 'The automation that fired.' }),
  webhook: required(string, { description: 'The webhook that was called.' }),
  event: required(string, { description: 'The event that fired.' }),
  state: required(deliveryState, { description: 'What has become of it.' }),
  created_at: required(string, { description: 'When it was created.' }),
  job_id: required(nullable(string), { description: 'The job that caused it.' }),
  attempts: list(
    model('ControlAttempt', {
      attempt: required(integer, { description: 'Its number, from 1.' }),
      copy: optional(integer, {
        description: 'Which copy of the delivery it is, from 2. Absent for the delivery itself.',
      }),
      at: required(string, { description: 'When it was made.' }),
      status: required(nullable(integer), { description: 'The HTTP status of the answer.' }),
      took: required(number, { description: 'Milliseconds of real time until the answer.' }),
      error: required(nullable(string), { description: 'Why it failed.' }),
      response_excerpt: required(nullable(string), { description: 'The beginning of the answer.' }),
    }),
  ),
  body: required(string, { description: 'The body that is sent.' }),
  headers: required(dictionary(string), { description: 'The headers that are sent.' }),
  verdict: required(nullable(string), {
    description: 'What the emulator says about the signature of the latest attempt.',
  }),
  diagnosis: required(nullable(string), { description: 'What is wrong with the signature.' }),
})
export const oneDelivery = delivery
export const deliveries = model('Deliveries', { deliveries: list(delivery) })
export const deliveryPath = parameters('path', { delivery_id: string })
export const deliveryFilter = controlQuery({
  webhook: optional(string, { description: 'The name of a webhook.' }),
  automation: optional(string, { description: 'The name of an automation.' }),
  event: optional(string, { description: 'The name of an event.' }),
  state: optional(deliveryState, { description: 'Returns only deliveries in this state.' }),
  job: optional(string, { description: 'The id of the job that caused them.' }),
  limit: defaulted(boundedInteger({ ge: 1, le: 20_000 }), () => 1000, {
    description: 'Returns only the latest deliveries.',
  }),
})

export const openedSink = model('OpenedSink', {
  url: required(string, { description: 'The address of the sink.' }),
})
export const sinkFilter = controlQuery({
  limit: defaulted(boundedInteger({ ge: 1, le: 10_000 }), () => 10_000, {
    description: 'Returns only the latest records.',
  }),
})
export const sinkRecords = model('SinkRecords', {
  records: list(
    model('SinkRecord', {
      id: required(string, { description: 'The id of the record.' }),
      at: required(string, { description: 'When it arrived.' }),
      method: required(string, { description: 'The HTTP method.' }),
      path: required(string, { description: 'The path, with its query.' }),
      headers: required(dictionary(string), { description: 'The headers.' }),
      body: required(string, { description: 'The body as text.' }),
      body_base64: required(string, { description: 'The bytes of the body.' }),
      verdict: required(string, { description: 'What the sink says about the signature.' }),
      delivery_id: required(nullable(string), {
        description: 'The delivery of the emulator. Null for a request of another sender.',
      }),
      diagnosis: required(nullable(string), { description: 'What is wrong with the signature.' }),
      duplicate_of: required(nullable(string), {
        description: 'The first record with the same delivery id.',
      }),
      same_bytes_as: required(nullable(string), {
        description: 'The first record with the same bytes, if the delivery has no id.',
      }),
      latency: required(nullable(number), {
        description: 'Milliseconds between the event and the arrival, if the event is known.',
      }),
    }),
  ),
})

const which = {
  operation: optional(string, { description: 'An operation id, such as createRlTrainingJob.' }),
  method: optional(string, { description: 'An HTTP method, in any case.' }),
  path: optional(string, { description: 'A glob. A star also matches slashes.' }),
  status: optional(integer, { description: 'The HTTP status of the response.' }),
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
  count: defaulted(boundedInteger({ ge: 1, le: 10_000 }), () => 1, {
    description: 'How many requests to wait for.',
  }),
  timeout: defaulted(string, () => '10s', { description: 'In real time, at most 5m.' }),
})

const entryFields = {
  id: required(integer, { description: 'The id of the entry. Ids grow.' }),
  at: required(string, { description: 'When it happened.' }),
  cause: required(nullable(integer), { description: 'The id of the entry that caused it.' }),
  text: required(string, { description: 'The entry in words.' }),
  world: required(nullable(string), {
    description: 'The name of its world, if each API key has its own.',
  }),
}

const checkKeys = checkNames.map(checkKey)

const clientCheckFinding = model('ClientCheckFinding', {
  check: required(literal(...checkKeys), { description: 'The client check that found it.' }),
  severity: required(literal('fail', 'warn'), {
    description: 'Whether it fails a test, or is a warning.',
  }),
  text: required(string, { description: 'What the client did, and what to do instead.' }),
  requests: required(list(integer), {
    description: 'The ids of the requests that it is about, the mistake first.',
  }),
})
export const clientCheckFindings = model('ClientCheckFindings', {
  findings: list(clientCheckFinding),
})

const requestFields = {
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
}

const requestEntry = model('RequestEntry', requestFields)

const message = model('RecordedMessage', {
  headers: required(dictionary(string), { description: 'The headers, without credentials.' }),
  body: required(nullable(string), {
    description: 'The beginning of the body as text, at most 65,536 characters, without secrets.',
  }),
  size: required(integer, { description: 'The length of the whole body.' }),
  state: required(literal('empty', 'whole', 'cut', 'dropped'), {
    description: 'Whether `body` is whole. A body is dropped if all bodies need too much memory.',
  }),
})

export const requestPath = parameters('path', { request_id: string })
export const requestDetail = model('RequestDetail', {
  ...requestFields,
  request: required(message, { description: 'What the client sent.' }),
  response: required(nullable(message), { description: 'What the emulator answered.' }),
  problems: required(
    list(
      model('RequestProblem', {
        loc: required(list(union([string, integer])), { description: 'The place in the request.' }),
        msg: required(string, { description: 'What is wrong there.' }),
        type: required(string, { description: 'The kind of problem.' }),
        sent: required(
          model('SentValue', {
            part: required(literal('body', 'query', 'path', 'header')),
            place: required(string, {
              description: 'The place in that part: `groups[0].reward`. Empty: all of it.',
            }),
            value: required(nullable(string), {
              description: 'The value as text. Null if nothing was sent there.',
            }),
            note: required(nullable(string), {
              description: 'More about it, such as the fields that were sent instead.',
            }),
          }),
          { description: 'What the client sent there.' },
        ),
      }),
    ),
    { description: 'Why the request was refused, field by field.' },
  ),
  faults: required(
    list(
      model('FaultHit', {
        id: required(string, { description: 'The id of the fault.' }),
        name: required(string, { description: 'Its name.' }),
        fault: required(string, { description: 'Its kind, such as status.' }),
      }),
    ),
    { description: 'The faults that had an effect.' },
  ),
  chat_rule: required(nullable(integer), {
    description: 'The index of the rule in `chat.rules` that answered, from 0.',
  }),
  findings: required(list(clientCheckFinding), {
    description: 'What the client checks say about it.',
  }),
  model: required(nullable(string), { description: 'The model that it is about.' }),
  job_id: required(nullable(string), { description: 'The job that it created or read.' }),
  caused: required(list(integer), { description: 'The ids of the entries that it caused.' }),
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
    copy: optional(integer),
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

const checkSetting = (name: CheckName) =>
  optional(union([boolean, literal('fail')]), {
    description: `Whether to look for ${soughtMistakes[name]}. fail: as an error. Default: as the scenario says.`,
  })

/** Which client checks run. */
export const clientChecksQuery = controlQuery(
  Object.fromEntries(checkNames.map((name) => [checkKey(name), checkSetting(name)])) as Record<
    CheckKey,
    ReturnType<typeof checkSetting>
  >,
)
/** By default the answer is text. */
export const trace = model('Trace', { entries: list(entry) }) as Schema<
  { entries: Infer<typeof entry>[] } | string
>
export const traceQuery = controlQuery({
  job: optional(string, {
    description: 'The id of a job. Returns only what caused it and what it caused.',
  }),
  format: defaulted(literal('text', 'json'), () => 'text' as const, {
    description: 'Text for people, or JSON.',
  }),
  lines: optional(boundedInteger({ ge: 1 }), {
    description: 'The most lines of the text that happened; the latest are shown. By default 30.',
  }),
})

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
      samples: required(integer, { description: 'How many samples are remembered.' }),
      unused: required(integer, { description: 'How many of them no job has used.' }),
      trained: required(integer, { description: 'How many answers jobs trained on.' }),
      unknown: required(integer, { description: 'How many of those no chat gave.' }),
    }),
    { description: 'Totals of all jobs and samples.' },
  ),
  jobs: list(lineageJob),
  unused: required(list(lineageSample), {
    description: 'Samples that no job has used, the newest first.',
  }),
})

export const lineageQuery = controlQuery({
  job: optional(string, { description: 'The id of a job. By default, the newest jobs.' }),
  limit: defaulted(boundedInteger({ ge: 1, le: 1000 }), () => 20, {
    description: 'The most jobs, and the most unused samples, to return; the newest.',
  }),
})

const reportContents = defaulted(literal('shown', 'redacted'), () => 'shown' as const, {
  description: 'Whether prompts, messages, completions and trajectories are shown.',
})
export const report = string
export const reportQuery = controlQuery({
  title: optional(string, { description: 'The title of the page.' }),
  failure: optional(string, { description: 'Why you share it. The page begins with it.' }),
  reproduce: optional(string, { description: 'The command that runs the same again.' }),
  contents: reportContents,
})
export const har = model('HarFile', {
  log: required(objectOf<HarLog>(), { description: 'The requests, in the format HAR 1.2.' }),
})
export const harQuery = controlQuery({ contents: reportContents })

const taskKind = literal('job', 'timeline', 'checkpoint', 'delivery', 'response', 'task')
const aboutFields = {
  text: required(string, { description: 'What happens, in words.' }),
  job_id: required(nullable(string), { description: 'The job that it is about.' }),
  delivery_id: required(nullable(string), { description: 'The delivery that it is about.' }),
}
const scheduledTask = model('ScheduledTask', {
  at: required(string, { description: 'When it happens. Advance the clock `to` it.' }),
  kind: required(taskKind, { description: 'What kind of thing happens.' }),
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
  limit: defaulted(boundedInteger({ ge: 1, le: 10_000 }), () => 100, {
    description: 'The most tasks to return.',
  }),
})

const timelineItem = model('TimelineItem', {
  id: required(nullable(integer), { description: 'The id of the entry. Null: scheduled.' }),
  at: required(string, { description: 'When it happened, or will happen.' }),
  cause: required(nullable(integer), { description: 'The id of the entry that led to it.' }),
  depth: required(integer, { description: 'How many of its causes are on the timeline.' }),
  kind: required(
    literal(
      'request',
      'job',
      'delivery',
      'receipt',
      'note',
      'timeline',
      'checkpoint',
      'response',
      'task',
    ),
    { description: 'What kind of entry or task it is.' },
  ),
  ...aboutFields,
  record_id: required(nullable(string), { description: 'The record of the sink.' }),
  event: required(nullable(string), {
    description: 'The type of the job event, or the event of the delivery.',
  }),
  attempt: required(nullable(integer), {
    description: 'The number of the attempt to deliver, from 1.',
  }),
  copy: optional(integer, {
    description: 'Which copy of the delivery it is, from 2. Absent for the delivery itself.',
  }),
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
    description: 'The id of a job. Returns only what caused it and what it caused.',
  }),
  limit: defaulted(boundedInteger({ ge: 1, le: 10_000 }), () => 1000, {
    description: 'The most entries, and the most scheduled tasks.',
  }),
})

export const worlds = model('Worlds', {
  worlds: list(
    model('World', {
      name: required(string, { description: 'Its name, for the Svtrain-World header.' }),
      scenario: required(string, { description: 'The name of its scenario.' }),
      now: required(string, { description: 'The time on its clock.' }),
      requests: required(integer, { description: 'How many requests it has received.' }),
      jobs: required(integer, { description: 'How many jobs it has.' }),
      running_jobs: required(integer, { description: 'How many of them are not over.' }),
    }),
  ),
})

export const pending = model('Pending', {
  pending: list(
    model('PendingThing', {
      what: literal('job', 'fault', 'delivery', 'request'),
      which: required(string, { description: 'Its id or name.' }),
      why: required(string, { description: 'Why it is pending.' }),
    }),
  ),
  unnoticed: list(
    model('UnnoticedThing', {
      what: required(literal('fault', 'answer'), {
        description: 'Faults that changed nothing, or answers that no rule gave.',
      }),
      text: required(string, { description: 'What happened otherwise than it seems.' }),
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
  records: list(objectOf<SavedRecord>()),
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
  scenario: required(string, { description: 'The name of its scenario.' }),
  seed: required(integer, { description: 'Its seed.' }),
  now: required(string, { description: 'The time on its clock.' }),
  models: required(integer, { description: 'How many models it has.' }),
  jobs: required(integer, { description: 'How many jobs it has.' }),
  running_jobs: required(integer, { description: 'How many of them run.' }),
  secrets_without_value: required(list(string), {
    description: 'Secrets without a value. Deliveries that they should sign are sent unsigned.',
  }),
})

export const streamQuery = controlQuery({
  after: optional(integer, {
    description: 'The id of a journal entry. The stream begins with the entries after it.',
  }),
  world: optional(string, {
    description: 'The name of a world, for browsers, which cannot send the Svtrain-World header.',
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
  worlds: model('StreamWorlds', {
    worlds: required(list(string), {
      description: 'The names of the worlds of API keys. Sent at first, and when they change.',
    }),
  }),
}

/** The version, the seed, the scenario and the addresses of an emulator. */
export type Info = Infer<typeof info>
/** The key of clients if any key is accepted. */
export type LocalKey = typeof LOCAL_API_KEY
/** The mode, the speed, the time and the next task of a clock. */
export type ClockState = Infer<typeof clock>
/** What happened until nothing was left to do. */
export type Settled = Infer<typeof settled>
/** The name and the description of a scenario. */
export type NamedScenario = Infer<typeof named>
/** What is wrong with the text of a scenario. */
export type ScenarioChecked = Infer<typeof scenarioChecked>
/** The current scenario, as an object and as YAML. */
export type CurrentScenario = Infer<typeof currentScenario>
/** A run in a list. */
export type ListedRun = Infer<typeof runs>['runs'][number]
/** A run with what it logged. */
export type RunDetails = Infer<typeof run>
/** What a run logged, by its steps. */
export type RunHistory = Infer<typeof history>
/** A version of an artifact in a list. */
export type ListedArtifact = Infer<typeof artifacts>['artifacts'][number]
/** A version of an artifact with its files. */
export type ArtifactDetails = Infer<typeof artifact>
/** A model with its checkpoints. */
export type ControlModel = Infer<typeof controlModel>
/** A job and its state. */
export type ControlJob = Infer<typeof job>
/** Events of a job, and their total number. */
export type ControlEvents = Infer<typeof events>
/** The metrics of a job as columns: one value of each metric for each step. */
export type Series = Infer<typeof series>
/** A fault, whether it is open, and how many requests it hit. */
export type ControlFault = Infer<typeof fault>
/** The response of a receiver to a test delivery. */
export type TestOutcome = Infer<typeof testOutcome>
/** What the emulator says about a signature. */
export type Explained = Infer<typeof explained>
/** A delivery with its attempts. */
export type ControlDelivery = Infer<typeof delivery>
/** What was sampled, and which jobs trained on it. */
export type Lineage = Infer<typeof lineage>
/** A mistake of a client that a client check found. */
export type ClientCheckFinding = Infer<typeof clientCheckFinding>
/** A delivery that the sink received. */
export type SinkRecord = Infer<typeof sinkRecords>['records'][number]
/** What a restored snapshot contains. */
export type Restored = Infer<typeof restored>
/** A webhook, and why it is disabled. */
export type ControlWebhook = Infer<typeof webhook>
export type Entry = Infer<typeof entry>
/** A request of the journal. */
export type RequestEntry = Infer<typeof requestEntry>
/** A request with its headers, its bodies, and why it was refused. */
export type RequestDetail = Infer<typeof requestDetail>
/** A scheduled task, and when it happens. */
export type ScheduledTask = Infer<typeof scheduledTask>
/** What happens with the next job, event or call. */
export type ConditionalTask = Infer<typeof conditionalTask>
/** What is scheduled, the next task first. */
export type Schedule = Infer<typeof schedule>
/** An entry or a scheduled task of the timeline. */
export type TimelineItem = Infer<typeof timelineItem>
/** What happened and what is scheduled, with causes. */
export type TimelineState = Infer<typeof timeline>
/** The world of an API key. */
export type WorldState = Infer<typeof worlds>['worlds'][number]
/** What is left over, and a table of it as text. */
export type Pending = Infer<typeof pending>
export type StreamEvents = {
  [Name in keyof typeof streamEvents]: Infer<(typeof streamEvents)[Name]>
}
