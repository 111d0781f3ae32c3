import { controlQuery } from './control-input.js'
import { anything } from '../contract/pydantic/anything.js'
import { dictionary } from '../contract/pydantic/dictionary.js'
import { defaulted, optional } from '../contract/pydantic/fields.js'
import { boundedInteger, integer } from '../contract/pydantic/integer.js'
import { list } from '../contract/pydantic/list.js'
import { literal } from '../contract/pydantic/literal.js'
import { model } from '../contract/pydantic/model.js'
import { string } from '../contract/pydantic/string.js'

/** What goes over the wire of the control API about what was recorded. */

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
