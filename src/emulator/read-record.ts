import * as z from 'zod'
import { didYouMean } from '../base/text/nearest.js'
import { isObject } from '../base/text/options.js'
import { removedKeys, removedText } from '../base/text/removed.js'
import { recordSchema } from '../service/engine/saved/record-schema.js'
import type { WorldRecord } from '../service/engine/saved/records.js'
import { readPart, type Path } from '../service/scenario/part-problems.js'
import type { JobRule } from '../service/scenario/scenario.js'
import { partsOfKey } from '../webhooks/sending/saved-key.js'
import { savedWebhooks } from '../webhooks/sending/saved-webhooks.js'
import { pieceKinds, pieceSchema } from '../webhooks/sending/saved-webhooks-schema.js'
import { partOf, savedParts } from './saved-parts.js'

/** Reads one record of a saved world after the other. */
export class RecordReader {
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

type Read = { ok: true; value: WorldRecord } | { ok: false; problems: readonly FieldProblem[] }

/** What is wrong with a field of a record. */
export interface FieldProblem {
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
  const isPiece = kind === savedWebhooks.kind && typeof key === 'string'
  const schema = isPiece ? pieceSchema(key) : recordSchema(Object(input) as Record<string, unknown>)
  const hides = (at: Path): boolean => mayBeSecret(input, at)
  if (schema) {
    const read = readPart(schema, input, { hides }) as ReturnType<typeof readPart<WorldRecord>>
    // A misspelled key is more helpful than the missing key.
    if (!read.ok) read.problems.sort((one, other) => Number(other.onKey) - Number(one.onKey))
    // A delivery has no defaults to fill in. It keeps the order of its keys.
    const isDelivery = isPiece && partsOfKey(key).kind === 'delivery'
    return read.ok && isDelivery ? { ok: true, value: input as WorldRecord } : read
  }
  if (isPiece) return { ok: false, problems: [{ path: ['key'], message: unknownPiece(key) }] }
  return readPart(anyRecord, input, { hides }) as Read
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

function unknownPiece(key: string): string {
  const { kind: what } = partsOfKey(key)
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
