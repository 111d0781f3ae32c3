import { formatPath } from '../base/text/format-path.js'
import { LastRecords } from '../service/engine/saved/last-records.js'
import { savedWorld, type SavedWorld } from '../service/engine/saved/restore.js'
import { worldFlaws } from '../service/engine/saved/check-world.js'
import { joinedContents } from '../service/engine/platform/joined-contents.js'
import { allAtOnce, type Pieces } from '../base/clock/slices.js'
import { HIDDEN } from '../base/text/redaction/hidden.js'
import { isRead } from '../webhooks/sending/restored-webhooks.js'
import { RecordReader, type FieldProblem } from './read-record.js'
import { partOf } from './saved-parts.js'

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
  { contentsAreFiles = false }: CheckOptions = {},
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
  if (problems.length > 0) return refused(problems)
  const joined = yield* joinedContents(last)
  for (const flaw of worldFlaws(last, { joined, areFiles: contentsAreFiles })) {
    if (typeof flaw === 'number') yield flaw
    else problems.push(described(flaw, { index: flaw.index, input: flaw.record }))
    if (problems.length >= MOST_PROBLEMS) break
  }
  if (problems.length > 0) return refused(problems)
  const saved = savedWorld(last, joined)
  if (saved) return { ok: true, saved: { ...saved, note: reader.note } }
  const lacks = last.has('world') ? 'clock' : 'world'
  const message = `there is no record of the kind "${lacks}"`
  return refused([{ index: undefined, kind: undefined, place: '', message }])
}

function refused(problems: readonly RecordProblem[]): CheckResult {
  return { ok: false, problems: problems.slice(0, MOST_PROBLEMS) }
}

function described(
  { path, message }: FieldProblem,
  { index, input }: { index: number; input: unknown },
): RecordProblem {
  const { kind } = Object(input) as { kind?: unknown }
  const secretMaps = partOf(kind)?.secretMaps ?? []
  const isHidden = (at: number): boolean => secretMaps.includes(path.slice(0, at).join('.'))
  const place = formatPath(path.map((part, at) => (isHidden(at) ? HIDDEN : part)))
  return { index, kind, place, message }
}
