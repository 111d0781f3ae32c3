import { formatPath } from '../base/text/format-path.js'
import { readPart, type Path } from '../service/scenario/check-scenario.js'
import { recordSchema } from '../service/engine/saved/record-schema.js'
import type { WorldRecord } from '../service/engine/saved/records.js'
import { LastRecords } from '../service/engine/saved/last-records.js'
import { savedWorld, type SavedWorld } from '../service/engine/saved/restore.js'
import { worldFlaws } from '../service/engine/saved/check-world.js'
import * as z from 'zod'
import { partOf, savedParts } from './saved-parts.js'
import type { JobRule } from '../service/scenario/scenario.js'
import { allAtOnce, type Pieces } from '../base/clock/slices.js'
import { isObject } from '../base/text/options.js'
import { HIDDEN } from '../base/text/redaction/hidden.js'
import { removedKeys, removedText } from '../base/text/removed.js'
import { isRead } from '../webhooks/sending/saved-webhooks.js'
import { pieceKinds, pieceSchema } from '../webhooks/sending/saved-webhooks-schema.js'
import { didYouMean } from '../base/text/nearest.js'

/** What is wrong with a record of a saved world. */
export interface RecordProblem {
  /** The index of the record. Undefined if a record is missing. */
  index: number | undefined
  /** The kind of the record, if it has one. */
  kind: unknown
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
 * @param written What was read, such as the parsed lines of a file. Only the last record of each thing is kept,
 * so a log may be larger than the memory.
 * @param options.contentsAreFiles Whether the contents of runs and artifacts are in files, and not in the records.
 * @returns The world, or at most ten problems. No message contains a key or a secret.
 */
export function checkRecords(written: Iterable<unknown>, options: CheckOptions = {}): CheckResult {
  return allAtOnce(checkingRecords(written, options))
}

interface CheckOptions {
  readonly contentsAreFiles?: boolean
}

type CheckResult = { ok: true; saved: SavedWorld } | { ok: false; problems: RecordProblem[] }

/** Does the same, a piece at a time. */
export function* checkingRecords(
  written: Iterable<unknown>,
  { contentsAreFiles }: CheckOptions = {},
): Pieces<CheckResult> {
  const last = new LastRecords(partOf)
  const reader = new RecordReader()
  const problems: RecordProblem[] = []
  let index = 0
  for (const input of written) {
    const read = reader.read(input)
    if (!read.ok) {
      problems.push(...read.problems.map((problem) => described(problem, { index, input })))
    } else if (isRead(read.value)) last.add(read.value, index)
    if (problems.length >= MOST_PROBLEMS) break
    index++
    yield 1
  }
  const flaws = problems.length === 0 ? worldFlaws(last, { contentsAreFiles }) : []
  for (const flaw of flaws) {
    if (typeof flaw === 'number') yield flaw
    else problems.push(described(flaw, { index: flaw.index, input: flaw.record }))
    if (problems.length >= MOST_PROBLEMS) break
  }
  if (problems.length > 0) return { ok: false, problems: problems.slice(0, MOST_PROBLEMS) }
  const saved = savedWorld(last)
  if (saved) return { ok: true, saved: { ...saved, note: reader.note } }
  const lacks = last.has('world') ? 'clock' : 'world'
  const message = `there is no record of the kind "${lacks}"`
  return { ok: false, problems: [{ index: undefined, kind: undefined, place: '', message }] }
}

/** Reads one record after the other. */
class RecordReader {
  /** The rules of jobs that were read before, by their JSON. Most jobs have the same rule. */
  readonly #rules = new Map<string, JobRule>()
  /** What the journal notes about the last record of a world. */
  note: string | undefined

  read(input: unknown): Read {
    const { kind, rule } = Object(input) as { kind?: unknown; rule?: unknown }
    if (kind === 'world') return readRecord(this.#withoutRemoved(input as object))
    if (kind !== 'job' || !isObject(rule)) return readRecord(input)
    const text = JSON.stringify(rule)
    const known = this.#rules.get(text)
    if (known) {
      // The index of a rule is quick to check, and the rest of the record is checked as usual.
      const read = readRecord({ ...(input as object), rule: 0 })
      return read.ok ? { ok: true, value: { ...(read.value as Of<'job'>), rule: known } } : read
    }
    const read = readRecord(input)
    if (read.ok && this.#rules.size < MOST_RULES) {
      this.#rules.set(text, (read.value as Of<'job'>).rule as JobRule)
    }
    return read
  }

  /** Leaves out a key that scenarios had in version 0.2. Its default was an empty list. */
  #withoutRemoved(world: { scenario?: unknown }): object {
    this.note = undefined
    if (!isObject(world.scenario)) return world
    const { extensions = [], ...scenario } = world.scenario
    if (!Array.isArray(extensions) || extensions.length > 0) {
      this.note = removedText(
        removedKeys,
        'extensions',
        'the key "extensions" of the saved scenario',
      )
    }
    return { ...world, scenario }
  }
}

type Of<K extends WorldRecord['kind']> = Extract<WorldRecord, { kind: K }>

/** The most rules that are kept to compare. */
const MOST_RULES = 1000

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
const anyRecord = z.looseObject({
  kind: z.enum([...new Set(savedParts.map(({ kind }) => kind))]),
  key: z.string(),
})

/** Whether a value may be a key or a password. */
function mayBeSecret(record: unknown, path: Path): boolean {
  const { kind } = Object(record) as { kind?: unknown }
  const part = partOf(kind)
  return part ? part.mayBeSecret?.(path) === true : path[0] !== 'kind'
}

/** In a scenario, API keys and signed URLs are keys of maps, so a place may contain them. */
function described(
  { path, message }: Problem,
  { index, input }: { index: number; input: unknown },
): RecordProblem {
  const { kind } = Object(input) as { kind?: unknown }
  const isHidden = (at: number): boolean => {
    const map = path.slice(0, at).join('.')
    return kind === 'world' && ['scenario.auth.keys', 'scenario.sft.files'].includes(map)
  }
  const place = formatPath(path.map((part, at) => (isHidden(at) ? HIDDEN : part)))
  return { index, kind, place, message }
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
