import type { LOCAL_API_KEY } from '../../local-key.js'
import { boolean, string } from '../../../service/contract/pydantic/scalars.js'
import { optional, required } from '../../../service/contract/pydantic/fields.js'
import { integer } from '../../../service/contract/pydantic/integer.js'
import { list, nullable } from '../../../service/contract/pydantic/containers.js'
import { literal } from '../../../service/contract/pydantic/literal.js'
import { model } from '../../../service/contract/pydantic/model.js'
import { parameters } from '../../../service/contract/pydantic/parameters.js'
import type { Infer } from '../../../service/contract/pydantic/schema.js'
import { controlQuery } from './body-and-query.js'
import { namedScenario } from './scenario.js'

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
  scenario: namedScenario,
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

/** The version, the seed, the scenario and the addresses of an emulator. */
export type Info = Infer<typeof info>
/** The key of clients if any key is accepted. */
export type LocalKey = typeof LOCAL_API_KEY
/** The world of an API key. */
export type WorldState = Infer<typeof worlds>['worlds'][number]
