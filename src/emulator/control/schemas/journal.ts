import { TRACE_LINES } from '../../testing/trace.js'
import { defaulted, optional, required } from '../../../service/contract/pydantic/fields.js'
import { boundedInteger, integer } from '../../../service/contract/pydantic/integer.js'
import { list, nullable } from '../../../service/contract/pydantic/containers.js'
import { literal } from '../../../service/contract/pydantic/literal.js'
import { model } from '../../../service/contract/pydantic/model.js'
import { number, string } from '../../../service/contract/pydantic/scalars.js'
import type { Infer, Schema } from '../../../service/contract/pydantic/schema.js'
import { union } from '../../../service/contract/pydantic/union.js'
import { controlQuery } from './body-and-query.js'

const entryFields = {
  id: required(integer, { description: 'The id of the entry. Ids grow.' }),
  at: required(string, { description: 'When it happened.' }),
  cause: required(nullable(integer), { description: 'The id of the entry that caused it.' }),
  text: required(string, { description: 'The entry in words.' }),
  world: required(nullable(string), {
    description: 'The name of its world, if each API key has its own.',
  }),
}

export const requestFields = {
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
  took: optional(number, {
    description:
      'Milliseconds of real time until the answer was ready, or the client left one that hangs.',
  }),
  detail: optional(string, { description: 'Why an error was answered, without keys.' }),
  hint: optional(string, { description: 'What the client may have meant.' }),
  effects: list(string),
}

export const requestEntry = model('RequestEntry', requestFields)

export const entry = union([
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

const traceLine = model('TraceLine', {
  kind: required(literal('head', 'entry', 'left_out'), {
    description: 'left_out: it says how many lines are not there.',
  }),
  time: required(nullable(string), { description: 'When it happened, as in the text.' }),
  depth: required(integer, { description: 'How many of its causes are on the timeline.' }),
  text: string,
  severity: required(nullable(literal('fail', 'warn')), {
    description: 'Whether it tells of a failure, or of a refusal. Null: of neither.',
  }),
})

/** By default the answer is text. */
export const trace = model('Trace', {
  entries: list(entry),
  lines: required(list(traceLine), { description: 'The lines of the text.' }),
}) as Schema<{ entries: Infer<typeof entry>[]; lines: Infer<typeof traceLine>[] } | string>
export const traceQuery = controlQuery({
  job: optional(string, {
    description: 'The id of a job. Returns only what is about it, and what that caused.',
  }),
  format: defaulted(literal('text', 'json'), () => 'text' as const, {
    description: 'Text for people, or JSON.',
  }),
  lines: optional(boundedInteger({ ge: 1 }), {
    description: `The most lines of the text that happened; the latest are shown. By default ${TRACE_LINES}.`,
  }),
})

export type Entry = Infer<typeof entry>
/** A request of the journal. */
export type RequestEntry = Infer<typeof requestEntry>
