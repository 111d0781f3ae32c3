import { clockModes, FASTEST } from '../clock/clock.js'
import { controlBody, controlQuery } from './control-input.js'
import { anything } from '../contract/pydantic/anything.js'
import { boolean } from '../contract/pydantic/boolean.js'
import { dictionary } from '../contract/pydantic/dictionary.js'
import { defaulted, optional, required } from '../contract/pydantic/fields.js'
import { boundedInteger, integer } from '../contract/pydantic/integer.js'
import { list } from '../contract/pydantic/list.js'
import { literal } from '../contract/pydantic/literal.js'
import { model } from '../contract/pydantic/model.js'
import { nullable } from '../contract/pydantic/nullable.js'
import { number } from '../contract/pydantic/number.js'
import { parameters } from '../contract/pydantic/parameters.js'
import type { Infer } from '../contract/pydantic/schema.js'
import { string } from '../contract/pydantic/string.js'
import { union } from '../contract/pydantic/union.js'

/** What goes over the wire of the control API. Times are ISO 8601 on the emulator's clock. */

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
