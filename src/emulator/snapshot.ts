import { WORLD_VERSION, type WorldRecord } from '../engine/snapshot/records.js'
import type { Scenario } from '../scenario/scenario.js'
import { shownScenario, shownWebhook } from '../scenario/shown.js'
import type { ChangedParts } from '../webhooks/saved-webhooks.js'
import { toBase64InParts } from '../signature/base64.js'
import { aFlag, Options } from '../text/options.js'
import { hash128 } from '../random/random.js'
import { hasRulesOf, type SavedWorld } from '../engine/snapshot/restore.js'
import { EmulatorError } from '../text/emulator-error.js'

/** A whole world as one JSON value, to be put into another emulator. */
export interface Snapshot {
  readonly format: 'svtrain-emulator snapshot'
  readonly version: number
  /** Tells whether something of it is missing or was altered. */
  readonly digest: string
  readonly records: readonly WorldRecord[]
  /**
   * In base64, the records in which API keys, secrets or passwords may stand: each takes the place of
   * the one like it among the others, which has none in it. Nothing here is encrypted.
   */
  readonly secrets?: string | undefined
}

export interface SnapshotOptions {
  /**
   * Default: true. False leaves out API keys, webhooks' secrets, and what may have such in it:
   * deliveries, what faults remember, and where SFT data came from.
   */
  secrets?: boolean | undefined
}

export const snapshotOptions = new Options<SnapshotOptions>('snapshot', { secrets: aFlag })

export const FORMAT = 'svtrain-emulator snapshot'

export function snapshotOf(
  written: readonly WorldRecord[],
  { secrets: included = true }: SnapshotOptions = {},
): Snapshot {
  // What changes later in the world must not change here.
  const shown = written.map(redacted)
  const records = JSON.parse(
    JSON.stringify(shown.filter((each) => each !== undefined)),
  ) as WorldRecord[]
  const hidden = written.filter((record, index) => record !== shown[index])
  const secrets = included ? toBase64(JSON.stringify(hidden)) : undefined
  const digest = digestOf(records, secrets)
  return { format: FORMAT, version: WORLD_VERSION, digest, records, secrets }
}

/**
 * A record without API keys, secrets and passwords. A record without any stays the same; one that may
 * hold them anywhere is left out.
 */
function redacted(record: WorldRecord): WorldRecord | undefined {
  if (record.kind === 'world') return { ...record, scenario: redactedScenario(record.scenario) }
  if (record.kind === 'outgoing') return redactedOutgoing(record)
  // Faults count the calls of each key, and the URL of SFT data may be signed.
  return record.kind === 'faults' || record.kind === 'sft' ? undefined : record
}

/** A scenario without keys accepts any key. */
function redactedScenario(scenario: Scenario): Scenario {
  const shown = shownScenario(scenario)
  const { keys: _keys, ...auth } = shown.auth
  return { ...shown, auth, secrets: {} }
}

/** Payloads and answers may hold a secret. */
function redactedOutgoing(record: WorldRecord & { kind: 'outgoing' }): WorldRecord | undefined {
  if (record.key.startsWith('delivery ')) return undefined
  if (record.key !== 'parts') return record
  const { added, ...rest } = record.kept as ChangedParts
  const webhooks = added.webhooks.map(shownWebhook)
  return { ...record, kept: { ...rest, added: { ...added, secrets: {}, webhooks } } }
}

/** Raises `SnapshotError` where a world was written by a version whose records mean something else. */
export function assertKnownVersion(version: number, from: string): void {
  if (version === WORLD_VERSION) return
  throw new SnapshotError(
    'SVTRAIN_SNAPSHOT_VERSION',
    `Failed to read ${from}: it has version ${version}, and this emulator reads version ${WORLD_VERSION}. Nothing was changed. Use the emulator that wrote it, or begin anew.`,
  )
}

/** What there is to go on with. Raises `SnapshotError` where it is two worlds. */
export function takenUp({ storage, read }: TakenUp): SavedWorld | undefined {
  if (!storage?.saved || !read) return read ?? storage?.saved
  throw new SnapshotError(
    'SVTRAIN_SNAPSHOT_TAKEN',
    'Failed to import the snapshot: its folder has a world already. Nothing was changed. Choose another folder, or leave out the snapshot to go on with what is there.',
  )
}

interface TakenUp {
  storage: { readonly saved?: SavedWorld | undefined } | undefined
  read: SavedWorld | undefined
}

/**
 * With which scenario and seed a kept world goes on. Raises `SnapshotError` where it cannot with what
 * was asked for.
 */
export function goingOn(
  saved: SavedWorld,
  asked: { scenario?: Scenario | undefined; seed?: number | undefined },
): { scenario: Scenario; seed: number } {
  const { seed, functions } = saved
  const { name } = saved.scenario
  if (asked.seed !== undefined && asked.seed !== seed) {
    throw new SnapshotError(
      'SVTRAIN_SNAPSHOT_SEED',
      `Failed to go on with seed ${asked.seed}: what was kept was drawn from seed ${seed}. Leave the seed out, or begin anew.`,
    )
  }
  const { scenario = saved.scenario } = asked
  if (asked.scenario ? hasRulesOf(scenario, saved) : !functions) return { scenario, seed }
  throw new SnapshotError(
    'SVTRAIN_SNAPSHOT_SCENARIO',
    `Failed to go on: what was kept follows the scenario "${name}", which holds functions, and those cannot be kept. Name that scenario again.`,
  )
}

/** Stands for the content: it tells whether something is missing or was altered. */
export function digestOf(records: readonly unknown[], secrets: string | undefined): string {
  const words = hash128(JSON.stringify([records, secrets]))
  return words.map((word) => word.toString(16).padStart(8, '0')).join('')
}

function toBase64(text: string): string {
  return toBase64InParts(new TextEncoder().encode(text))
}

/**
 * A snapshot's world, with its own scenario and seed. Functions, which it cannot hold, are those of
 * the scenario that is `followed`, where that has the same name. Raises `SnapshotError`.
 */
export function withFunctionsOf(
  followed: Scenario,
  saved: SavedWorld,
): { scenario: Scenario; seed: number } {
  const isSame = saved.functions && saved.scenario.name === followed.name
  return goingOn(saved, { scenario: isSame ? followed : undefined })
}

/** Where each key has a world, a snapshot is of none. */
export function notOneWorld(): SnapshotError {
  return new SnapshotError(
    'SVTRAIN_SNAPSHOT_ISOLATED',
    'Failed: a snapshot is of one world, and here each key has its own. Take that of emulator.world(key), of createClient({ url, world: key }), or with --world <key>.',
  )
}

/** Raised where a kept world cannot be read; `code` says why. */
export class SnapshotError extends EmulatorError {
  override readonly name = 'SnapshotError'
  readonly code: `SVTRAIN_SNAPSHOT_${'DAMAGED' | 'INVALID' | 'VERSION' | 'SEED' | 'SCENARIO' | 'ISOLATED' | 'TAKEN'}`
  constructor(code: SnapshotError['code'], message: string) {
    super(message)
    this.code = code
  }
}
