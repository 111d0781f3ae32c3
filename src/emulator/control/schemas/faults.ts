import { anything, boolean, string } from '../../../service/contract/pydantic/scalars.js'
import { dictionary, list, nullable } from '../../../service/contract/pydantic/containers.js'
import { optional, required } from '../../../service/contract/pydantic/fields.js'
import { integer } from '../../../service/contract/pydantic/integer.js'
import { model } from '../../../service/contract/pydantic/model.js'
import { parameters } from '../../../service/contract/pydantic/parameters.js'
import type { Infer } from '../../../service/contract/pydantic/schema.js'

/** The most requests that a fault names. */
export const MOST_REQUESTS = 20

export const oneFault = model('Fault', {
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
    description: `The ids of the latest requests that it affected, at most ${MOST_REQUESTS}, the last one first.`,
  }),
  rule: required(dictionary(anything), {
    description: 'The fault as in a scenario, with all defaults.',
  }),
})
export const faults = model('Faults', { faults: list(oneFault) })
export const faultPath = parameters('path', { fault_id: string })
export const faultRequest = dictionary(anything)

/** A fault, whether it is open, and how many requests it hit. */
export type ControlFault = Infer<typeof oneFault>
