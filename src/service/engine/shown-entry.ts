import { Redactor } from '../../base/text/redaction/redact.js'
import {
  redactedHeaders,
  redactedQuery,
  secretsInHeader,
  secretsInQuery,
} from '../../base/text/redaction/credentials.js'
import { HIDDEN } from '../../base/text/redaction/hidden.js'
import { shortened } from '../../base/text/shortened.js'
import { thrownText } from '../../base/text/thrown-text.js'
import { SecretSearch } from '../../base/text/redaction/secret-search.js'
import type { Headers, JournalEntry, RecordedResponse, RequestEntry } from './journal-entry.js'

/** Removes secrets from a text. If its end is missing (`isCut`), a secret may begin there. */
export type Redact = (text: string, options?: { readonly isCut: boolean }) => string

/**
 * An entry as the journal keeps it: with all that was sent. What shows an entry to somebody uses `shownEntry`, and so do
 * its prints and its JSON: a failing test prints entries.
 */
export class RecordedEntry<Kind extends JournalEntry['kind']> {
  readonly kind: Kind
  readonly id: number
  readonly at: number
  readonly #redactor: Redactor

  /** @param redactor Knows the secrets of the world. */
  constructor(redactor: Redactor, kind: Kind, { id, at }: Pick<JournalEntry, 'id' | 'at'>) {
    this.kind = kind
    this.id = id
    this.at = at
    this.#redactor = redactor
  }

  /** Returns what knows the secrets of the world of an entry. A copy of an entry has no world. */
  static redactorOf(entry: object): Redactor {
    return #redactor in entry ? entry.#redactor : new Redactor()
  }

  toJSON(): object {
    return shownEntry(this as unknown as JournalEntry)
  }

  /** What `console.log` of Node shows. */
  [Symbol.for('nodejs.util.inspect.custom')](): object {
    return this.toJSON()
  }
}

/** Makes what is shown of a field. */
type Show<Value> = (value: Value, redact: Redact) => unknown

type FieldOf<Entry> = Entry extends unknown ? keyof Entry : never
type ValueOf<Entry, Field> = Entry extends unknown
  ? Field extends keyof Entry
    ? Exclude<Entry[Field], undefined>
    : never
  : never

/** For numbers, ids and words of our own, and for names by which code finds what has them. */
const asIs: Show<unknown> = (value) => value
const hidden: Show<string> = (text, redact) => redact(text)

/** How each field of an entry is shown, in this order. Undefined: it is left out, or `shownCall` has it. */
const SHOWN: {
  readonly [Field in FieldOf<JournalEntry>]: Show<ValueOf<JournalEntry, Field>> | undefined
} = {
  kind: asIs,
  id: asIs,
  at: asIs,
  cause: asIs,
  host: asIs,
  method: asIs,
  path: hidden,
  query: redactedQuery,
  effects: (effects, redact) => effects.map((effect) => redact(effect)),
  operation: asIs,
  status: asIs,
  lost: asIs,
  took: asIs,
  detail: shortDetail,
  hint: hidden,
  fault: (fault, redact) => redact(thrownText(fault)),
  usage: ({ project, ...tokens }, redact) => ({
    ...(project !== undefined && { project: redact(project) }),
    ...tokens,
  }),
  inventedFor: hidden,
  answeredAt: undefined,
  answeredBy: undefined,
  answer: undefined,
  headers: undefined,
  body: undefined,
  bodyForgotten: undefined,
  response: undefined,
  problems: undefined,
  faults: undefined,
  changes: undefined,
  chatRule: undefined,
  bodyText: undefined,
  bodyBeginning: undefined,
  secretFields: undefined,
  bodyLength: undefined,
  bodyHash: undefined,
  jobView: undefined,
  jobId: asIs,
  modelName: asIs,
  step: undefined,
  deliveryId: asIs,
  attempt: asIs,
  copy: asIs,
  webhook: asIs,
  url: hidden,
  event: asIs,
  error: hidden,
  recordId: asIs,
  verdict: asIs,
  text: hidden,
  quote: hidden,
  stack: hidden,
  warning: asIs,
}

const SHOWN_FIELDS = Object.entries(SHOWN).filter(([, show]) => show !== undefined) as [
  field: keyof typeof SHOWN,
  show: Show<unknown>,
][]

/** All texts of entries that something shows, one at a time. Of bodies, as much as is shown. */
export function* textsOf(entries: Iterable<JournalEntry>): Iterable<string> {
  for (const entry of entries) {
    const texts: string[] = []
    const note: Redact = (text) => {
      texts.push(text)
      return text
    }
    shownFields(entry, note)
    if (entry.kind === 'request') shownParts(entry, note)
    yield* texts
  }
}

/** The secrets in headers. */
export function secretsInHeaders(headers: Headers): string[] {
  return Object.entries(headers).flatMap(([name, value = '']) => secretsInHeader(name, value))
}

/**
 * Returns what removes secrets from texts about an entry: those of the world, and those that the call brought. Values in
 * secret fields of its body are not removed from other calls: a field of this name may hold an ordinary word.
 */
export function redactionOf(entry: JournalEntry): Redact {
  const redactor = RecordedEntry.redactorOf(entry)
  if (entry.kind !== 'request') return (text, about) => redactor.redact(text, about)
  const { headers, query, secretFields } = entry
  // The world may have forgotten them, if only the reader still has the entry.
  for (const secret of secretsInHeaders(headers)) redactor.remember(secret)
  for (const secret of secretsInQuery(query)) redactor.remember(secret)
  const own = secretFields.length === 0 ? undefined : new SecretSearch()
  for (const secret of secretFields) own?.add(secret)
  return (text, about) => redactor.redact(text, { ...about, own })
}

/** Returns an entry without secrets. Of a request, all but its headers and bodies: `shownCall` has these. */
export function shownEntry<Entry extends JournalEntry>(entry: Entry): Entry {
  return shownFields(entry, redactionOf(entry)) as Entry
}

function shownFields(entry: JournalEntry, redact: Redact): object {
  const values: { readonly [Field in keyof typeof SHOWN]?: unknown } = entry
  const shown: Record<string, unknown> = {}
  for (const [field, show] of SHOWN_FIELDS) {
    const { [field]: value } = values
    if (value !== undefined) shown[field] = show(value, redact)
  }
  return shown
}

/** The headers and bodies of a request, without secrets. */
export interface ShownCall {
  readonly headers: Readonly<Record<string, string>>
  /** Undefined if there was none, or if it was dropped. */
  readonly body: { readonly text: string; readonly isCut: boolean } | undefined
  readonly response: RecordedResponse | undefined
}

/** Returns the headers and bodies of a request without secrets. */
export function shownCall(entry: RequestEntry): ShownCall {
  return shownParts(entry, redactionOf(entry))
}

function shownParts(
  { headers, bodyBeginning: body, response }: RequestEntry,
  redact: Redact,
): ShownCall {
  return {
    headers: redactedHeaders(headers, redact),
    body: body && { ...body, text: redact(body.text, body) },
    response: response && shownResponse(response, redact),
  }
}

function shownResponse({ headers, text, length }: RecordedResponse, redact: Redact) {
  return {
    headers: redactedHeaders(headers, redact),
    text: text === undefined ? undefined : redact(text, { isCut: text.length < length }),
    length,
  }
}

/** The most characters of a detail that are kept: it may quote a whole body. */
export const LONGEST_DETAIL = 2400
/** The most that are shown. */
const LONGEST_LINE = 240

/** A detail as one short line, also without the credentials of addresses. */
function shortDetail(detail: string, redact: Redact): string {
  const line = redact(detail, { isCut: detail.length >= LONGEST_DETAIL })
    .replaceAll(/(\w+:\/\/[^\s?"']+)\?[^\s"']*/g, `$1?${HIDDEN}`)
    .replaceAll(/(\w+:\/\/)[^\s/?#"']*@/g, `$1${HIDDEN}@`)
    .replaceAll(/\s+/g, ' ')
    .trim()
  return shortened(line, LONGEST_LINE - 1)
}
