import { parseJson } from '../../base/text/json-text.js'
import { isRecord } from '../../service/contract/pydantic/record.js'
import type { Host } from '../../service/contract/exchange.js'
import type { RecordedExchange, Recording } from '../recording/read-recording.js'
import { objectIn, shortText, type JsonObject } from './document.js'
import type { Difference, Severity } from './difference.js'
import { CHUNK, STREAMS_CHUNKS, withAnswers } from './answers.js'
import { RECORDED } from './allow-list.js'
import { hasType, isOpen, Schemas, typeOf, type Alternative } from './schemas.js'

/** What recorded answers have that the emulator does not, or the other way round. */
export interface RecordedDrift {
  readonly differences: readonly RecordedDifference[]
  /** How many responses were compared. */
  readonly responses: number
  /** How many were not: other streams than those of chats, and responses that are not complete. */
  readonly skipped: number
}

/** A difference, and how often it was recorded. */
export interface RecordedDifference extends Difference {
  readonly count: number
  /** The id of the first request with it. */
  readonly request: number
}

/** The OpenAPI documents of the emulator. */
export type OwnDocuments = Readonly<Record<Host, JsonObject>>

/**
 * Checks recorded responses against what the emulator would answer.
 *
 * @example
 * const { differences } = checkRecording(await readRecording('recorded'), documents)
 */
export function checkRecording(recording: Recording, documents: OwnDocuments): RecordedDrift {
  const check = new RecordingCheck(documents)
  for (const exchange of recording.exchanges) check.add(exchange)
  return check.result
}

interface FoundDifference {
  readonly kind: string
  readonly severity: Severity
  readonly path: string
  readonly what: string
  readonly who: string
}

interface KnownPath {
  readonly path: string
  readonly pattern: RegExp
  readonly operation: JsonObject
}

class RecordingCheck {
  readonly #hosts: Readonly<Record<Host, HostCheck>>
  readonly #differences = new Map<string, RecordedDifference>()
  #responses = 0
  #skipped = 0

  constructor(documents: OwnDocuments) {
    this.#hosts = {
      training: new HostCheck(documents.training),
      inference: new HostCheck(documents.inference),
    }
  }

  get result(): RecordedDrift {
    return {
      differences: [...this.#differences.values()],
      responses: this.#responses,
      skipped: this.#skipped,
    }
  }

  add({ request, response, end, text }: RecordedExchange): void {
    const type = mediaTypeOf(response?.headers['content-type'])
    const isUnknownStream = type === STREAM && !STREAMS_CHUNKS.test(request.path)
    if (!response || end?.how !== 'complete' || isUnknownStream) {
      this.#skipped++
      return
    }
    this.#responses++
    const { host, method, id } = request
    const { root, found } = this.#hosts[host].check({
      method,
      path: request.path,
      status: String(response.status),
      type,
      text,
    })
    for (const each of found) this.#note(root, each, id)
  }

  #note(root: string, { kind, path, ...found }: FoundDifference, request: number): void {
    const place = path === '' ? root : `${root} → ${path}`
    const id = `${RECORDED}${kind} ${place}`
    const before = this.#differences.get(id)
    this.#differences.set(id, {
      ...found,
      id,
      kind: `${RECORDED}${kind}`,
      place,
      count: (before?.count ?? 0) + 1,
      request: before?.request ?? request,
    })
  }
}

interface RecordedAnswer {
  readonly method: string
  /** Below the base URL. */
  readonly path: string
  readonly status: string
  readonly type: string
  readonly text: string
}

/** Checks the responses of one host. */
class HostCheck {
  readonly #schemas: Schemas
  readonly #operations = new Map<string, KnownPath[]>()

  constructor(document: JsonObject) {
    this.#schemas = new Schemas(withAnswers(document), 'The document of the emulator')
    for (const [path, item] of Object.entries(objectIn(document['paths']))) {
      const escaped = path.replaceAll(/[.*+?^$|()[\]\\]/g, String.raw`\$&`)
      // The base URL of the service may have its own beginning of the path.
      const below = escaped.replace(/^\/v1(?=\/)/, '(?:/v1)?').replaceAll(/\{[^}]*\}/g, '[^/]+')
      for (const [method, operation] of Object.entries(objectIn(item))) {
        const known = this.#operations.get(method.toUpperCase()) ?? []
        known.push({ path, pattern: new RegExp(`^${below}$`), operation: objectIn(operation) })
        this.#operations.set(method.toUpperCase(), known)
      }
    }
  }

  check(answered: RecordedAnswer): { root: string; found: FoundDifference[] } {
    const { method, path, status, type, text } = answered
    const known = this.#operations.get(method)?.find(({ pattern }) => pattern.test(path))
    if (!known) {
      return { root: `${method} ${withoutIds(path)}`, found: [UNKNOWN_OPERATION] }
    }
    const root = `${method} ${known.path} → response ${status}`
    const response = objectIn(known.operation['responses'])[status]
    if (!isRecord(response)) return { root, found: [unknownStatus(status)] }
    const { content } = response
    if (!isRecord(content) || text === '') return { root, found: [] }
    const media = content[type]
    if (!isRecord(media)) return { root, found: [unknownType(type)] }
    if (type === STREAM) {
      const found = chunksIn(text).flatMap((chunk) => this.#checkText(chunk, CHUNK))
      return { root: `${root} (${STREAM})`, found: once(found) }
    }
    if (!/[/+]json$/.test(type)) return { root, found: [] }
    return { root, found: once(this.#checkText(text, media['schema'])) }
  }

  #checkText(text: string, schema: unknown): FoundDifference[] {
    const value = parseJson(text)
    return value === undefined ? [NOT_JSON] : this.#check(value, schema, '', 0)
  }

  #check(value: unknown, schema: unknown, path: string, depth: number): FoundDifference[] {
    const alternatives = this.#schemas.alternatives(schema)
    if (isOpen(alternatives) || depth > DEEPEST || isRedacted(value)) return []
    const fitting = alternatives.filter(({ type }) => hasType(value, type))
    if (fitting.length === 0) return [changedType(value, alternatives, path)]
    const listed = fitting.filter(({ values }) => values === undefined || hasValue(values, value))
    if (listed.length === 0) return [newValue(value, path)]
    const results = listed.map((each) => this.#checkParts(value, each, path, depth))
    // Of several forms, that which fits best.
    return results.reduce((best, each) => (each.length < best.length ? each : best))
  }

  #checkParts(value: unknown, form: Alternative, path: string, depth: number): FoundDifference[] {
    if (Array.isArray(value)) {
      return value.flatMap((item) => this.#check(item, form.items, `${path}[]`, depth + 1))
    }
    if (!isRecord(value)) return []
    const at = (name: string): string => (path === '' ? name : `${path}.${name}`)
    const missing = [...form.required].filter((name) => !(name in value))
    const names = Object.entries(value).flatMap(([name, part]) => {
      const schema = form.properties.get(name)
      if (schema !== undefined) return this.#check(part, schema, at(name), depth + 1)
      if (isRecord(form.additional)) {
        return this.#check(part, form.additional, at('*'), depth + 1)
      }
      // Without names of its own, the object has any fields.
      return form.properties.size === 0 && form.additional === true ? [] : [unknownField(at(name))]
    })
    return [...missing.map((name) => missingField(at(name))), ...names]
  }
}

const STREAM = 'text/event-stream'

/** The data of each event of a stream, without the mark of its end. */
function chunksIn(text: string): string[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const [, data] = /^data: ?(.*)$/.exec(line) ?? []
    return data === undefined || data === '[DONE]' ? [] : [data]
  })
}

/** One response may have the same difference in each of its items. */
function once(found: readonly FoundDifference[]): FoundDifference[] {
  return [...new Map(found.map((each) => [`${each.kind} ${each.path}`, each])).values()]
}

/** JSON that is deeper is not checked further. */
const DEEPEST = 200

function mediaTypeOf(contentType = ''): string {
  return contentType.split(';')[0]!.trim().toLowerCase()
}

/** A path with `{id}` for each part that looks like an id, so that one operation has one place. */
function withoutIds(path: string): string {
  return path
    .split('/')
    .map((part) => (/^(?:\d+|[\da-f-]{16,}|(?=.*\d)[\w-]{12,})$/i.test(part) ? '{id}' : part))
    .join('/')
}

/** The recorder replaces contents by a text, whatever their type was. */
function isRedacted(value: unknown): boolean {
  return typeof value === 'string' && /^\[(?:redacted \d+ characters?|not shown)\]$/.test(value)
}

function hasValue(values: readonly unknown[], value: unknown): boolean {
  return values.some((each) => JSON.stringify(each) === JSON.stringify(value))
}

const UNKNOWN_OPERATION: FoundDifference = {
  kind: 'operation-unknown',
  severity: 'additive',
  path: '',
  what: 'the service answered it, the emulator has no such operation',
  who: 'clients that call it',
}

const NOT_JSON: FoundDifference = {
  kind: 'not-json',
  severity: 'breaking',
  path: '',
  what: 'the service returned a body that is not JSON',
  who: 'clients that parse it',
}

function unknownStatus(status: string): FoundDifference {
  return {
    kind: 'status-unknown',
    severity: /^[45]/.test(status) ? 'additive' : 'breaking',
    path: '',
    what: 'the service returned this status, the emulator does not document it',
    who: `clients that handle ${status}`,
  }
}

function unknownType(type: string): FoundDifference {
  return {
    kind: 'content-type-unknown',
    severity: 'breaking',
    path: '',
    what: `the service returned ${type === '' ? 'no content type' : shortText(type)}, the emulator another content type`,
    who: 'clients that parse it',
  }
}

function unknownField(path: string): FoundDifference {
  return {
    kind: 'field-unknown',
    severity: 'additive',
    path,
    what: 'the service returned it, the emulator does not',
    who: 'clients that read it',
  }
}

function missingField(path: string): FoundDifference {
  return {
    kind: 'field-missing',
    severity: 'breaking',
    path,
    what: 'the emulator always returns it, the service left it out',
    who: 'clients that read it without a check',
  }
}

function changedType(
  value: unknown,
  alternatives: readonly Alternative[],
  path: string,
): FoundDifference {
  const types = [...new Set(alternatives.map(({ type }) => type))].sort().join(' or ')
  return {
    kind: 'type-changed',
    severity: 'breaking',
    path,
    what: `the service returned ${typeOf(value)}, the emulator ${types === '' ? 'nothing' : types}`,
    who: 'clients that read it',
  }
}

function newValue(value: unknown, path: string): FoundDifference {
  const text = shortText(value)
  return {
    kind: 'enum-value-new',
    severity: 'breaking',
    path: path === '' ? text : `${path} ${text}`,
    what: 'the service returned this value, the emulator never does',
    who: `clients that read ${text}`,
  }
}
