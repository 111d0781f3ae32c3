import { placeOf, readPart, type Path } from '../scenario/check-scenario.js'
import { recordKinds, recordSchema } from '../engine/snapshot/record-schema.js'
import type { WorldRecord } from '../engine/snapshot/records.js'
import { savedWorld, type SavedWorld } from '../engine/snapshot/restore.js'
import { worldFlaws } from '../engine/snapshot/check-world.js'
import * as z from 'zod'
import { HIDDEN } from '../text/redact.js'
import { pieceKinds, pieceSchema } from '../webhooks/saved-webhooks-schema.js'
import { didYouMean } from '../text/nearest.js'

/** What is wrong with a record of a saved world. */
export interface RecordProblem {
  /** The index of the record. Undefined if a record is missing. */
  index: number | undefined
  /** The place in the record, as messages show it: `state.status`. */
  place: string
  message: string
}

/** Thousands of records may be wrong in the same way. */
const MOST_PROBLEMS = 10

/**
 * Checks the records of a saved world, in the order in which they were written, and makes one world of
 * them. They come from outside, so nothing about them is assumed.
 *
 * @param written What was read, such as the parsed lines of a file.
 * @returns The world, or at most ten problems. No message contains a key or a secret.
 */
export function checkRecords(
  written: readonly unknown[],
): { ok: true; saved: SavedWorld } | { ok: false; problems: RecordProblem[] } {
  const records: WorldRecord[] = []
  const problems: RecordProblem[] = []
  for (const [index, input] of written.entries()) {
    const read = readRecord(input)
    if (read.ok) records.push(read.value)
    else problems.push(...read.problems.map((problem) => ({ index, ...described(problem, input) })))
    if (problems.length >= MOST_PROBLEMS) break
  }
  if (problems.length === 0) {
    const flaws = worldFlaws(records)
    problems.push(
      ...flaws.map((flaw) => ({ index: flaw.index, ...described(flaw, records[flaw.index]) })),
    )
  }
  if (problems.length > 0) return { ok: false, problems: problems.slice(0, MOST_PROBLEMS) }
  const saved = savedWorld(records)
  if (saved) return { ok: true, saved }
  const lacks = records.some(({ kind }) => kind === 'world') ? 'clock' : 'world'
  const message = `there is no record of the kind "${lacks}"`
  return { ok: false, problems: [{ index: undefined, place: '', message }] }
}

type Read = { ok: true; value: WorldRecord } | { ok: false; problems: readonly Problem[] }

interface Problem {
  path: Path
  message: string
}

function readRecord(input: unknown): Read {
  const path = unreadable(Object(input) as object)
  if (path) {
    const message = path.at(-1) === PROTOTYPE ? 'is not allowed here' : 'is nested too deeply'
    return { ok: false, problems: [{ path: path.slice(0, MOST_SHOWN), message }] }
  }
  const { kind, key } = Object(input) as { kind?: unknown; key?: unknown }
  const isPiece = kind === 'outgoing' && typeof key === 'string'
  const schema = isPiece ? pieceSchema(key) : recordSchema(Object(input) as Record<string, unknown>)
  const hides = (at: Path): boolean => mayBeSecret(input, at)
  if (schema) {
    const read = readPart(schema, input, hides) as ReturnType<typeof readPart<WorldRecord>>
    // A misspelled key is more helpful than the missing key.
    if (!read.ok) read.problems.sort((one, other) => Number(other.onKey) - Number(one.onKey))
    // A delivery has no defaults to fill in. It keeps the order of its keys.
    const isDelivery = isPiece && key.startsWith('delivery ')
    return read.ok && isDelivery ? { ok: true, value: input as WorldRecord } : read
  }
  if (isPiece) return { ok: false, problems: [{ path: ['key'], message: unknownPiece(key) }] }
  return readPart(anyRecord, input, hides) as Read
}

/** Finds what is wrong with a value that is not a record of any kind. */
const anyRecord = z.looseObject({ kind: z.enum([...recordKinds, 'outgoing']), key: z.string() })

/** Whether a value may be a key or a password: any value of these records, or a part of a scenario. */
function mayBeSecret(record: unknown, [first, second]: Path): boolean {
  const { kind } = Object(record) as { kind?: unknown }
  if (first === 'kind') return false
  if (kind !== 'world') return !OPEN_KINDS.includes(kind as WorldRecord['kind'])
  return first === 'scenario' && CONFIDENTIAL.includes(String(second))
}

const OPEN_KINDS: readonly WorldRecord['kind'][] = [
  ...(['clock', 'model', 'name', 'checkpoint', 'aliases', 'job', 'progress'] as const),
  ...(['timeline', 'asking', 'turns', 'judged', 'usage'] as const),
]
const CONFIDENTIAL = ['auth', 'secrets', 'webhooks', 'automations', 'faults', 'sft']

/** In a scenario, API keys and signed URLs are keys of maps, so a place may contain them. */
function described({ path, message }: Problem, record: unknown): Omit<RecordProblem, 'index'> {
  const { kind } = Object(record) as { kind?: unknown }
  const isHidden = (at: number): boolean => {
    const map = path.slice(0, at).join('.')
    return kind === 'world' && ['scenario.auth.keys', 'scenario.sft.files'].includes(map)
  }
  return { place: placeOf(path.map((part, at) => (isHidden(at) ? HIDDEN : part))), message }
}

function unknownPiece(key: string): string {
  const what = key.split(' ', 1)[0]!
  const meant = pieceKinds.includes(what) ? '' : didYouMean(what, pieceKinds)
  const hint = meant && `.${meant}`
  return `expected "parts", or one of ${pieceKinds.slice(1).join(', ')} and a name${hint}`
}

/**
 * The place of a key `__proto__`, which the schemas ignore in maps, or of lists and maps that are nested
 * too deeply.
 */
function unreadable(value: object, depth = 0): Path | undefined {
  if (depth > MOST_NESTED) return []
  for (const key of Object.keys(value)) {
    if (key === PROTOTYPE) return [key]
    const inner = (value as Record<string, unknown>)[key]
    if (typeof inner !== 'object' || inner === null) continue
    const found = unreadable(inner, depth + 1)
    // The event of a delivery may have any keys.
    const isOpen = depth === 1 && key === 'event' && found?.at(-1) === PROTOTYPE
    if (found && !isOpen) return [Array.isArray(value) ? Number(key) : key, ...found]
  }
  return undefined
}

const PROTOTYPE = '__proto__'
const MOST_NESTED = 200
/** The most parts of a path that are shown. */
const MOST_SHOWN = 10
