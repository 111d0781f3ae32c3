import { boolean, string } from '../../../service/contract/pydantic/scalars.js'
import { optional, required } from '../../../service/contract/pydantic/fields.js'
import { integer } from '../../../service/contract/pydantic/integer.js'
import { list } from '../../../service/contract/pydantic/containers.js'
import { literal } from '../../../service/contract/pydantic/literal.js'
import { model } from '../../../service/contract/pydantic/model.js'
import type { Infer } from '../../../service/contract/pydantic/schema.js'
import { union } from '../../../service/contract/pydantic/union.js'
import {
  checkKey,
  checkNames,
  soughtMistakes,
  type CheckKey,
  type CheckName,
} from '../../../service/scenario/check-names.js'
import { controlQuery } from './body-and-query.js'

const checkKeys = checkNames.map(checkKey)

export const clientCheckFinding = model('ClientCheckFinding', {
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
  calls: required(integer, { description: 'How many calls were judged.' }),
  not_judged: required(list(string), { description: 'What could not be judged.' }),
})

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
/** A mistake of a client that a client check found. */
export type ClientCheckFinding = Infer<typeof clientCheckFinding>
/** What the client checks found, and how much they judged. */
export type ClientCheckFindings = Infer<typeof clientCheckFindings>
