import { WORLD_VERSION } from '../service/engine/saved/format.js'
import type { AnyRecord } from '../service/engine/saved/saved-part.js'
import { partOf } from './saved-parts.js'
import { toBase64 } from '../base/text/bytes.js'
import { aFlag, Options } from '../base/text/options.js'
import { allAtOnce, inSlices, sizeOf, type Pieces } from '../base/clock/slices.js'
import { continueHash, finishHash, HASH_START } from '../base/random/random.js'
import { SnapshotError } from './snapshot-error.js'
import { isTooLong, LONGEST_TEXT, MOST_CHARACTERS } from '../base/text/text-length.js'

/** One record of a saved world. Each version may save other fields. */
export interface SavedRecord {
  /** What it is a record of, such as `job`. */
  readonly kind: string
}

/** A world as one JSON value. `emulator.restore()` and `createEmulator({ snapshot })` accept it. */
export interface Snapshot {
  /** Tells snapshots from other JSON. */
  readonly format: 'svtrain-emulator snapshot'
  /** The version of the format. An emulator reads its own version only. */
  readonly version: number
  /** A checksum. It detects a snapshot that was damaged or changed. */
  readonly digest: string
  /** Everything that is saved, without secrets. */
  readonly records: readonly SavedRecord[]
  /**
   * The records that may hold API keys, secrets or passwords, in base64. Each replaces its redacted
   * version among `records`. Nothing is encrypted.
   */
  readonly secrets?: string | undefined
}

/** The options of `emulator.snapshot`. */
export interface SnapshotOptions {
  /**
   * Whether secrets are included. Default: true. False leaves out API keys, the secrets of webhooks, and
   * what may hold them: deliveries, the counts of faults, and the URLs of SFT data.
   */
  secrets?: boolean | undefined
}

export const snapshotOptions = new Options<SnapshotOptions>('snapshot', { secrets: aFlag })

export const FORMAT = 'svtrain-emulator snapshot'

/** A world at one moment. */
export interface WorldMoment {
  /** Each record is made when it is read. */
  readonly records: Iterable<AnyRecord>
  /** Whether the world is as it was. */
  readonly isSame: () => boolean
}

/** How often a world may change while it is written in slices. After that, it is written at once. */
const TRIES = 3

/**
 * Makes a snapshot of a world in slices, with pauses in which requests are answered. If the world changes in a pause,
 * its records are written again, because a snapshot shows one moment.
 *
 * @throws {SnapshotError} When the world is too large for a text.
 */
export async function snapshotOf(
  world: () => WorldMoment,
  options: SnapshotOptions = {},
): Promise<Snapshot> {
  const { texts, secrets } = await jsonOfOneMoment(world, options)
  const { records, digest } = await inSlices(readAgain(texts, secrets))
  return { format: FORMAT, version: WORLD_VERSION, digest, records, secrets }
}

async function jsonOfOneMoment(
  world: () => WorldMoment,
  options: SnapshotOptions,
): Promise<RecordTexts> {
  for (let tries = 0; tries < TRIES; tries++) {
    const written = await inSlices(jsonOfRecords(world(), options))
    if (written) return written
  }
  return allAtOnce(jsonOfRecords(world(), options))!
}

/**
 * Runs what writes a snapshot as a text.
 *
 * @throws {SnapshotError} When the text is longer than a text can be.
 */
export function unlessTooLarge<T>(write: () => T): T {
  try {
    return write()
  } catch (error) {
    throw isTooLong(error) ? tooLarge() : error
  }
}

function tooLarge(): SnapshotError {
  return new SnapshotError(
    'SVTRAIN_SNAPSHOT_TOO_LARGE',
    `Failed to save the world: it is too large. A snapshot is one text, which can have ${LONGEST_TEXT}. Nothing was changed. Reset the world, or keep it in a data folder: createEmulator({ data }), or --data.`,
  )
}

interface RecordTexts {
  texts: string[]
  secrets: string | undefined
}

/** Returns nothing if the world is not the same after a pause. */
function* jsonOfRecords(
  { records, isSame }: WorldMoment,
  { secrets: included = true }: SnapshotOptions,
): Pieces<RecordTexts | undefined> {
  const texts: string[] = []
  const hidden: AnyRecord[] = []
  for (const record of records) {
    const shown = redacted(record)
    if (shown !== record) hidden.push(record)
    const text = shown === undefined ? '' : unlessTooLarge(() => JSON.stringify(shown))
    if (text !== '') texts.push(text)
    yield 1 + sizeOf(text.length)
    if (!isSame()) return undefined
  }
  const secrets = included
    ? toBase64(new TextEncoder().encode(unlessTooLarge(() => JSON.stringify(hidden))))
    : undefined
  const length = texts.reduce((sum, text) => sum + text.length + 1, secrets?.length ?? 0)
  if (length > MOST_CHARACTERS) throw tooLarge()
  return { texts, secrets }
}

function* readAgain(
  texts: readonly string[],
  secrets: string | undefined,
): Pieces<{ records: AnyRecord[]; digest: string }> {
  const records: AnyRecord[] = []
  const reading = function* (): Iterable<string> {
    for (const text of texts) {
      records.push(JSON.parse(text) as AnyRecord)
      yield text
    }
  }
  const digest = yield* digestOf(reading(), secrets)
  return { records, digest }
}

/**
 * Removes API keys, secrets and passwords from a record. Returns the same record if it contains none, and
 * undefined if they may be anywhere in it.
 */
function redacted(record: AnyRecord): AnyRecord | undefined {
  const part = partOf(record.kind)
  return part?.redact ? part.redact(record) : record
}

/** @throws {SnapshotError} When another version wrote the world: its records may have other meanings. */
export function assertKnownVersion(version: number, from: string): void {
  if (version === WORLD_VERSION) return
  throw new SnapshotError(
    'SVTRAIN_SNAPSHOT_VERSION',
    `Failed to read ${from}: it has version ${version}, but this emulator reads version ${WORLD_VERSION}. Nothing was changed. Use the version of the emulator that wrote it, or start with a new world.`,
  )
}

/** A checksum of the content: of `[records, secrets]` as JSON, from the texts of records. It is made a piece at a time. */
export function* digestOf(texts: Iterable<string>, secrets: string | undefined): Pieces<string> {
  let hash = HASH_START
  let length = 0
  const add = (text: string): void => {
    hash = continueHash(hash, text)
    length += text.length
  }
  add('[[')
  let comma = ''
  for (const text of texts) {
    add(comma + text)
    comma = ','
    yield sizeOf(text.length)
  }
  add(`],${JSON.stringify(secrets ?? null)}]`)
  const words = finishHash(hash, length)
  return words.map((word) => word.toString(16).padStart(8, '0')).join('')
}
