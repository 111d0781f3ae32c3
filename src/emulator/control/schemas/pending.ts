import { required } from '../../../service/contract/pydantic/fields.js'
import { list } from '../../../service/contract/pydantic/containers.js'
import { literal } from '../../../service/contract/pydantic/literal.js'
import { model } from '../../../service/contract/pydantic/model.js'
import type { Infer } from '../../../service/contract/pydantic/schema.js'
import { string } from '../../../service/contract/pydantic/scalars.js'

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

/** What is left over, and a table of it as text. */
export type Pending = Infer<typeof pending>
