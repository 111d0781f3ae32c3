import * as z from 'zod'
import { isObject } from '../base/text/options.js'
import { removedKeys, removedText } from '../base/text/removed.js'
import { savedJobs, type SavedJob } from '../service/engine/jobs/saved-jobs.js'
import { savedFrame } from '../service/engine/saved-frame.js'
import { recordSchema } from '../service/engine/saved/record-schema.js'
import type { WorldRecord } from '../service/engine/saved/records.js'
import { readPart, type Path } from '../service/scenario/part-problems.js'
import type { JobRule } from '../service/scenario/scenario.js'
import { savedWebhooks } from '../webhooks/sending/saved-webhooks.js'
import { readPiece } from '../webhooks/sending/saved-webhooks-schema.js'
import { partOf, savedParts } from './saved-parts.js'

/** Reads one record of a saved world after the other. */
export class RecordReader {
  /** How the records of some kinds are read. All others are read as they are. */
  readonly #readers = new Map<unknown, (record: Fields) => Read>([
    [savedFrame.kind, (world) => readRecord(this.#withoutRemoved(world))],
    [savedJobs.kind, (job) => this.#readJob(job)],
  ])
  /** The rules of jobs that were read before, by their JSON. Most jobs have the same rule. */
  readonly #rules = new Map<string, JobRule>()
  /** What the journal notes about the last record of a world. */
  note: string | undefined

  read(input: unknown): Read {
    const { kind } = Object(input) as { kind?: unknown }
    return (this.#readers.get(kind) ?? readRecord)(input as Fields)
  }

  #readJob(job: Fields): Read {
    if (!isObject(job['rule'])) return readRecord(job)
    const text = JSON.stringify(job['rule'])
    const known = this.#rules.get(text)
    // The index of a rule is quick to check, and the rest of the record is checked as usual.
    const read = readRecord(known ? { ...job, rule: 0 } : job)
    if (!read.ok) return read
    const value = read.value as SavedJob
    if (known) return { ok: true, value: { ...value, rule: known } }
    if (this.#rules.size < MOST_RULES) this.#rules.set(text, value.rule as JobRule)
    return read
  }

  /** Leaves out a key that scenarios had in version 0.2. Its default was an empty list. */
  #withoutRemoved(world: Fields): Fields {
    this.note = undefined
    if (!isObject(world['scenario'])) return world
    const { extensions = [], ...scenario } = world['scenario']
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

type Fields = Readonly<Record<string, unknown>>

/** The most rules that are kept to compare. */
const MOST_RULES = 1000

type Read = { ok: true; value: WorldRecord } | { ok: false; problems: readonly FieldProblem[] }

/** What is wrong with a field of a record. */
export interface FieldProblem {
  path: Path
  message: string
}

function readRecord(input: unknown): Read {
  const record = Object(input) as Fields
  const path = unreadable(record)
  if (path) {
    const message = path.at(-1) === PROTOTYPE ? 'is not allowed here' : 'is nested too deeply'
    return { ok: false, problems: [{ path: path.slice(0, MOST_SHOWN), message }] }
  }
  const { kind, key } = record
  const isPiece = kind === savedWebhooks.kind && typeof key === 'string'
  const read = isPiece
    ? readPiece({ ...record, key })
    : readPart(recordSchema(record) ?? anyRecord, input, { hides: (at) => mayBeSecret(kind, at) })
  // A misspelled key is more helpful than the missing key.
  if (!read.ok) read.problems.sort((one, other) => Number(other.onKey) - Number(one.onKey))
  return read as Read
}

/** Finds what is wrong with a value that is not a record of any kind. */
const anyRecord = z.looseObject({
  kind: z.enum([...new Set(savedParts.map(({ kind }) => kind))]),
  key: z.string(),
})

/** Whether a value may be a key or a password. */
function mayBeSecret(kind: unknown, path: Path): boolean {
  const part = partOf(kind)
  return part ? part.mayBeSecret?.(path) === true : path[0] !== 'kind'
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
