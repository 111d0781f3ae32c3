import { Redactor } from '../../base/text/redaction/redact.js'
import {
  redactedHeaders,
  redactedQuery,
  secretsInHeader,
  secretsInQuery,
} from '../../base/text/redaction/credentials.js'
import { HIDDEN } from '../../base/text/redaction/hidden.js'
import { shortened } from '../../base/text/shortened.js'
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

/** The fields of entries that are plain texts, and may have secrets in them. */
const TEXTS = ['text', 'quote', 'error', 'url', 'path', 'hint', 'inventedFor'] as const

/** The texts of an entry, by their fields. */
function plainTextsOf(entry: JournalEntry): [field: string, text: string][] {
  const all: { readonly [Field in (typeof TEXTS)[number]]?: unknown } = entry
  return TEXTS.flatMap((field): [string, string][] => {
    const { [field]: text } = all
    return typeof text === 'string' ? [[field, text]] : []
  })
}

/** All texts of entries that something shows, one at a time. Of bodies, as much as is shown. */
export function* textsOf(entries: Iterable<JournalEntry>): Iterable<string> {
  for (const entry of entries) {
    for (const [, text] of plainTextsOf(entry)) yield text
    if (entry.kind !== 'request') continue
    const { query, effects, detail, fault, bodyBeginning, response } = entry
    const thrown = fault === undefined ? undefined : faultText(fault)
    const texts = [query, ...effects, detail, thrown, bodyBeginning?.text, response?.text]
    yield* texts.filter((text) => text !== undefined)
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
  const redact = redactionOf(entry)
  const shown = entry.kind === 'request' ? shownRequest(entry, redact) : entry
  const texts = plainTextsOf(entry).map(([field, text]) => [field, redact(text)] as const)
  return { ...shown, ...Object.fromEntries(texts) } as Entry
}

function shownRequest(entry: RequestEntry, redact: Redact): Partial<RequestEntry> {
  const { faults: _faults, chatRule: _rule, jobView: _view, answeredAt: _at, ...rest } = entry
  const { answeredBy: _by, answer: _answer, changes: _changes, ...listed } = rest
  const { query, effects, detail, fault } = listed
  return {
    ...listed,
    query: redactedQuery(query, redact),
    effects: effects.map((effect) => redact(effect)),
    ...(detail !== undefined && { detail: shortDetail(detail, redact) }),
    ...(fault !== undefined && { fault: redact(faultText(fault)) }),
  }
}

/** Any code may have thrown it. */
function faultText(fault: unknown): string {
  try {
    return String(fault)
  } catch {
    return typeof fault
  }
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
  const redact = redactionOf(entry)
  const { headers, bodyBeginning: body, response } = entry
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
