import { checkingRecords, type RecordProblem } from './check-records.js'
import { readPart } from '../service/scenario/part-problems.js'
import { problemText } from '../service/scenario/scenario-error.js'
import type { SavedWorld } from '../service/engine/saved/restore.js'
import { assertKnownVersion, digestOf, FORMAT } from './snapshot.js'
import { SnapshotError } from './snapshot-error.js'
import { allAtOnce, type Pieces } from '../base/clock/slices.js'
import { fromBase64 } from '../base/text/bytes.js'
import { parseJson } from '../base/text/json-text.js'
import * as z from 'zod'

const envelope = z.strictObject({
  format: z.literal(FORMAT),
  version: z.int(),
  digest: z.string(),
  records: z.array(z.unknown()),
  secrets: z.string().optional(),
})

/**
 * Reads what `emulator.snapshot()` resolved to, or the JSON of an exported file, and checks all of it.
 *
 * @param from Where it came from, for messages.
 * @throws {SnapshotError} When it cannot be used. The error names the wrong fields.
 */
export function readSnapshot(value: unknown, from?: string): SavedWorld {
  return allAtOnce(readingSnapshot(value, from))
}

/** Does the same, a piece at a time. */
export function* readingSnapshot(value: unknown, from = 'the snapshot'): Pieces<SavedWorld> {
  const named = readPart(z.looseObject({ format: z.literal(FORMAT) }), value)
  if (!named.ok) {
    const is = `it is not a snapshot. Make one with snapshot export, --export-on-exit, or emulator.snapshot().`
    throw refusal('SVTRAIN_SNAPSHOT_DAMAGED', `Failed to read ${from}: ${is}`, named.problems)
  }
  const { version } = named.value
  // Records of another version may have any form.
  if (typeof version === 'number') assertKnownVersion(version, from)
  const read = readPart(envelope, value, { hides: ([key]) => key === 'secrets' })
  if (!read.ok) throw invalid(from, read.problems)
  const { records, secrets } = read.value
  const hidden = recordsIn(secrets)
  if (!hidden.ok) throw invalid(from, [{ place: 'secrets', message: hidden.message }])
  const checked = yield* checkingRecords([...records, ...hidden.records])
  const problems = checked.ok
    ? []
    : checked.problems.map(({ index, place, message }) => {
        return { place: placeIn({ index, place }, records.length), message }
      })
  if (!(yield* isWhole(read.value))) {
    const is = 'it is damaged: its digest does not match its records. Nothing was changed.'
    const heading = `Failed to read ${from}: ${is} Export it again.`
    throw refusal('SVTRAIN_SNAPSHOT_DAMAGED', heading, problems)
  }
  if (!checked.ok) throw invalid(from, problems)
  return checked.saved
}

type Problem = Pick<RecordProblem, 'place' | 'message'>

function invalid(from: string, problems: readonly Problem[]): SnapshotError {
  const heading = `Failed to read ${from}: it cannot be used. Nothing was changed.`
  return refusal('SVTRAIN_SNAPSHOT_INVALID', heading, problems)
}

function refusal(
  code: SnapshotError['code'],
  heading: string,
  problems: readonly Problem[],
): SnapshotError {
  const lines = problems.map((problem) => `  ${problemText(problem)}`)
  return new SnapshotError(code, [heading, ...lines].join('\n'))
}

function* textsOf(records: readonly unknown[]): Iterable<string> {
  for (const record of records) yield JSON.stringify(record ?? null)
}

function* isWhole({ digest, records, secrets }: z.output<typeof envelope>): Pieces<boolean> {
  try {
    return digest === (yield* digestOf(textsOf(records), secrets))
  } catch {
    // JSON cannot hold it, so it was never exported.
    return false
  }
}

/** Formats the place of a problem. The records in `secrets` are numbered separately. */
function placeIn({ index, place }: Pick<RecordProblem, 'index' | 'place'>, open: number): string {
  if (index === undefined) return 'records'
  const record = index < open ? `records[${index}]` : `secrets[${index - open}]`
  return place === '' ? record : `${record}.${place}`
}

type SecretsCheck = { ok: true; records: unknown[] } | { ok: false; message: string }

/** Decodes records from base64. Without `secrets`, there are none. */
function recordsIn(secrets: string | undefined): SecretsCheck {
  if (secrets === undefined) return { ok: true, records: [] }
  let text: string
  try {
    const bytes = fromBase64(secrets)
    if (!bytes) return { ok: false, message: 'expected base64 of a text' }
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return { ok: false, message: 'expected base64 of a text' }
  }
  const records = parseJson(text)
  if (Array.isArray(records)) return { ok: true, records }
  const expected = records === undefined ? 'JSON' : 'a list of records'
  return { ok: false, message: `expected base64 of ${expected}` }
}
