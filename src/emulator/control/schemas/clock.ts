import { FASTEST, clockModes } from '../../../base/clock/clock.js'
import { boolean, number, string } from '../../../service/contract/pydantic/scalars.js'
import { optional, required } from '../../../service/contract/pydantic/fields.js'
import { integer } from '../../../service/contract/pydantic/integer.js'
import { literal } from '../../../service/contract/pydantic/literal.js'
import { model } from '../../../service/contract/pydantic/model.js'
import { nullable } from '../../../service/contract/pydantic/containers.js'
import type { Infer } from '../../../service/contract/pydantic/schema.js'
import { union } from '../../../service/contract/pydantic/union.js'
import { controlBody } from './body-and-query.js'

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

/** The mode, the speed, the time and the next task of a clock. */
export type ClockState = Infer<typeof clock>
/** What happened until nothing was left to do. */
export type Settled = Infer<typeof settled>
