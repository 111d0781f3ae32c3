import { parseJson } from '../../base/text/json-text.js'
import { counted, firstOf } from '../../base/text/counted.js'
import { formatPath } from '../../base/text/format-path.js'
import { shortened } from '../../base/text/shortened.js'
import { lastOfEach } from '../../service/api/route.js'
import { parsePythonJson } from '../../service/contract/pydantic/python-json.js'
import { LONGEST_SHOWN } from '../../service/engine/journal-records.js'
import type { RequestDetail } from './schemas/requests.js'

type Problem = Pick<RequestDetail['problems'][number], 'loc' | 'type'>
type SentValue = RequestDetail['problems'][number]['sent']
type MadeCall = Pick<RequestDetail, 'path' | 'query' | 'request'>

const LONGEST = 2000
/** How many characters are shown on each side of the place where a body stops being JSON. */
const AROUND = 60

/** Finds the value that each problem of a request is about. The body is read once for all of them. */
export function sentValues(call: MadeCall, problems: readonly Problem[]): SentValue[] {
  if (problems.length === 0) return []
  const read = { ...call, json: parseJson(call.request.body ?? '') }
  return problems.map(({ loc: [first, ...rest], type }) => {
    const part = PARTS.find((each) => each === first) ?? 'body'
    const found = FINDERS[part](read, rest, type)
    return { part, place: formatPath(rest), value: null, note: null, ...found }
  })
}

interface ReadCall extends MadeCall {
  /** The body. Undefined if it is not JSON. */
  readonly json: unknown
}

type FoundValue = Partial<SentValue>
type Path = Problem['loc']

const PARTS = ['body', 'query', 'path', 'header'] as const

const FINDERS: Readonly<
  Record<SentValue['part'], (call: ReadCall, path: Path, type: string) => FoundValue>
> = {
  body: sentInBody,
  query({ query }, [name]) {
    // Of a repeated parameter, the last one is read.
    const sent = lastOfEach(query)
    const value = sent[String(name)] ?? null
    return { value, ...(value === null && { note: fieldsNote(Object.keys(sent)) }) }
  },
  path: ({ path }) => ({ value: path }),
  header: ({ request }, [name]) => ({
    value: request.headers[String(name).toLowerCase()] ?? null,
  }),
}

function sentInBody({ request, json }: ReadCall, path: Path, type: string): FoundValue {
  const { body, state } = request
  if (body === null) {
    return {
      note: state === 'dropped' ? 'The body is no longer kept.' : 'The request has no body.',
    }
  }
  if (json === undefined) {
    const [offset] = type === 'json_invalid' ? path : []
    if (state === 'cut' && !(Number(offset) < LONGEST_SHOWN)) {
      return { note: 'Only the beginning of the body is kept.' }
    }
    return offset === undefined ? { note: 'The body is not JSON.' } : brokenIn(body, offset)
  }
  let value: unknown = json
  for (const [at, step] of path.entries()) {
    const inner = stepInto(value, step)
    if (inner === undefined) return notSent(value, path.length - at)
    value = inner.value
  }
  return { value: textOfValue(value) }
}

/** Where a body stops being JSON. It is read again, because what is shown of it may be shorter than what was sent. */
function brokenIn(body: string, offset: string | number): FoundValue {
  const read = parsePythonJson(body)
  if (read.kind !== 'error') return { note: 'The body is not JSON.' }
  const characters = Array.from(body)
  const before = characters.slice(Math.max(0, read.position - AROUND), read.position).join('')
  const after = characters.slice(read.position, read.position + AROUND).join('')
  return {
    place: `character ${offset}`,
    value: `${before}⟪here⟫${after}`,
    note: `${read.message}.`,
  }
}

/** The place is absent, or the path ends in a word that only names a kind of value. */
function notSent(parent: unknown, left: number): FoundValue {
  if (left > 1 || typeof parent !== 'object' || parent === null) {
    return { value: textOfValue(parent) }
  }
  if (Array.isArray(parent)) return { note: `The list has ${counted(parent.length, 'item')}.` }
  return { note: fieldsNote(Object.keys(parent)) }
}

function stepInto(value: unknown, step: string | number): { value: unknown } | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value) !== (typeof step === 'number')) return undefined
  return Object.hasOwn(value, step)
    ? { value: (value as Record<string, unknown>)[step] }
    : undefined
}

function fieldsNote(names: readonly string[]): string {
  if (names.length === 0) return 'You sent no fields there.'
  return `Fields that you sent there: ${firstOf(names, 20)}.`
}

function textOfValue(value: unknown): string {
  return shortened(JSON.stringify(value, undefined, 2), LONGEST)
}
