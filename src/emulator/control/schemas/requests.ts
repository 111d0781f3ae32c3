import type { HIDDEN } from '../../../base/text/redaction/hidden.js'
import { roundDuration } from '../../../base/text/duration.js'
import { LONGEST_SHOWN } from '../../../service/engine/journal-records.js'
import { dictionary, list, nullable } from '../../../service/contract/pydantic/containers.js'
import { defaulted, optional, required } from '../../../service/contract/pydantic/fields.js'
import { integer } from '../../../service/contract/pydantic/integer.js'
import { literal } from '../../../service/contract/pydantic/literal.js'
import { model } from '../../../service/contract/pydantic/model.js'
import { parameters } from '../../../service/contract/pydantic/parameters.js'
import type { Infer } from '../../../service/contract/pydantic/schema.js'
import { string } from '../../../service/contract/pydantic/scalars.js'
import { union } from '../../../service/contract/pydantic/union.js'
import { controlQuery, upTo } from './body-and-query.js'
import { clientCheckFinding } from './client-checks.js'
import { requestFields, requestEntry } from './journal.js'

const requestPattern = {
  operation: optional(string, { description: 'An operation id, such as createRlTrainingJob.' }),
  method: optional(string, { description: 'An HTTP method, in any case.' }),
  path: optional(string, { description: 'A glob. A star also matches slashes.' }),
  status: optional(integer, { description: 'The HTTP status of the response.' }),
  job: optional(string, { description: 'The id of a job that the request created, or names.' }),
  after: optional(integer, {
    description: 'The id of a journal entry. Returns only requests after it.',
  }),
}

export const requestFilter = controlQuery({
  ...requestPattern,
  limit: upTo(10_000, 100, 'Returns the latest requests, or with `after` the next ones.'),
})
export const requestCountFilter = controlQuery(requestPattern)
/** How long a call may wait for requests at most, in milliseconds. */
export const LONGEST_WAIT = 300_000

export const requestWait = controlQuery({
  ...requestPattern,
  count: upTo(10_000, 1, 'How many requests to wait for.'),
  timeout: defaulted(string, () => '10s', {
    description: `In real time, at most ${roundDuration(LONGEST_WAIT)}.`,
  }),
})

const recordedMessage = model('RecordedMessage', {
  headers: required(dictionary(string), { description: 'The headers, without credentials.' }),
  body: required(nullable(string), {
    description: `The beginning of the body as text, at most ${LONGEST_SHOWN.toLocaleString('en-US')} characters, without secrets.`,
  }),
  size: required(integer, { description: 'The length of the whole body.' }),
  state: required(literal('empty', 'whole', 'cut', 'dropped'), {
    description: 'Whether `body` is whole. A body is dropped if all bodies need too much memory.',
  }),
})

export const requestPath = parameters('path', { request_id: string })
export const requestDetail = model('RequestDetail', {
  ...requestFields,
  request: required(recordedMessage, { description: 'What the client sent.' }),
  response: required(nullable(recordedMessage), { description: 'What the emulator answered.' }),
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
  job_id: required(nullable(string), { description: 'The job that it created, or names.' }),
  caused: required(list(integer), { description: 'The ids of the entries that it caused.' }),
})

export const requests = model('Requests', {
  requests: list(requestEntry),
  next: required(integer, { description: 'Pass it as `after` to read on.' }),
})
export const requestCount = model('RequestCount', { count: integer })
export const requestsSeen = model('RequestsSeen', { requests: list(requestEntry) })

/** What stands in the place of a secret. */
export type HiddenText = typeof HIDDEN
/** A request with its headers, its bodies, and why it was refused. */
export type RequestDetail = Infer<typeof requestDetail>
