import type { RequestDetail } from '../../emulator/control/schemas.js'
import { parsed } from './json-text.js'

type Problem = RequestDetail['problems'][number]

/** What the client sent at the place of a problem. */
export interface SentValue {
  /** In words: `in the body`. */
  part: string
  /** `trajectory_groups[0].trajectories`. Empty: the whole part. */
  place: string
  /** The value as text. Undefined if nothing was sent there. */
  value: string | undefined
  /** More about it, such as the fields that were sent instead. */
  note: string | undefined
}

const LONGEST = 2000

/** Finds the value that a problem is about. */
export function sentAt(detail: RequestDetail, { loc, type }: Problem): SentValue {
  const [first, ...rest] = loc
  const part = typeof first === 'string' && first in PARTS ? first : 'body'
  const found = PARTS[part as keyof typeof PARTS](detail, rest, type)
  return { part: `in the ${part}`, place: placeOf(rest), note: undefined, ...found }
}

type FoundValue = Pick<SentValue, 'value'> & Partial<SentValue>
type Path = Problem['loc']

const PARTS = {
  body: sentInBody,
  query: ({ query }: RequestDetail, [name]: Path): FoundValue => {
    const sent = new URLSearchParams(query)
    const value = sent.get(String(name)) ?? undefined
    return { value, ...(value === undefined && { note: fieldsNote([...sent.keys()]) }) }
  },
  path: ({ path }: RequestDetail): FoundValue => ({ value: path }),
  header: ({ request }: RequestDetail, [name]: Path): FoundValue => {
    return { value: request.headers[String(name).toLowerCase()] }
  },
}

function sentInBody({ request, response }: RequestDetail, path: Path, type: string): FoundValue {
  const { body, state } = request
  if (body === null) {
    return {
      value: undefined,
      note: state === 'dropped' ? 'The body is no longer kept.' : 'The request has no body.',
    }
  }
  const [offset] = path
  if (type === 'json_invalid' && typeof offset === 'number') {
    const around = `${body.slice(Math.max(0, offset - 60), offset)}⟪here⟫${body.slice(offset, offset + 60)}`
    return {
      place: `character ${offset}`,
      value: around,
      note: expectedIn(response?.body),
    }
  }
  const whole = parsed(body)
  if (whole === undefined) {
    const note =
      state === 'cut' ? 'Only the beginning of the body is kept.' : 'The body is not JSON.'
    return { value: undefined, note }
  }
  let value: unknown = whole
  for (const [at, step] of path.entries()) {
    const inner = stepInto(value, step)
    if (inner === undefined) return notSent(value, path.length - at)
    value = inner.value
  }
  return { value: asText(value) }
}

/** What the reader of the JSON expected: `Expecting value`. */
function expectedIn(answer: string | null | undefined): string {
  const { detail } = Object(parsed(answer ?? null)) as { detail?: { ctx?: { error?: unknown } }[] }
  const error = detail?.[0]?.ctx?.error
  return typeof error === 'string' ? `${error}.` : 'The body is not JSON from there on.'
}

/** The place is absent, or the path ends in a word that only names a kind of value. */
function notSent(parent: unknown, left: number): FoundValue {
  if (left > 1 || typeof parent !== 'object' || parent === null) return { value: asText(parent) }
  if (Array.isArray(parent))
    return { value: undefined, note: `The list has ${parent.length} items.` }
  return { value: undefined, note: fieldsNote(Object.keys(parent)) }
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
  const more = names.length > 20 ? `, and ${names.length - 20} more` : ''
  return `Fields that you sent there: ${names.slice(0, 20).join(', ')}${more}.`
}

function asText(value: unknown): string {
  const text = JSON.stringify(value, undefined, 2)
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text
}

/** `["trajectory_groups", 0, "trajectories"]` → `trajectory_groups[0].trajectories` */
export function placeOf(path: Path): string {
  return path.reduce<string>((before, step) => {
    if (typeof step === 'number') return `${before}[${step}]`
    return before === '' ? step : `${before}.${step}`
  }, '')
}
