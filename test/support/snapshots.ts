import { allAtOnce } from '../../src/base/clock/slices.js'
import { digestOf } from '../../src/emulator/snapshot.js'
import type { Snapshot } from '../../src/index.js'

/** A snapshot with its records decoded, so that a test can change them. */
export interface Opened {
  // Tests change records to invalid ones on purpose.
  // oxlint-disable-next-line typescript/no-explicit-any
  records: any[]
  // oxlint-disable-next-line typescript/no-explicit-any
  hidden: any[]
}

export function opened(snapshot: Snapshot): Opened {
  const { records, secrets } = JSON.parse(JSON.stringify(snapshot)) as Snapshot
  const bytes = Uint8Array.from(atob(secrets ?? btoa('[]')), (unit) => unit.charCodeAt(0))
  const hidden = JSON.parse(new TextDecoder().decode(bytes)) as unknown[]
  return { records: [...records], hidden }
}

/** Creates a snapshot of these records with the right digest. */
export function sealed({ records, hidden }: Opened): Snapshot {
  const secrets = Buffer.from(JSON.stringify(hidden)).toString('base64')
  return withDigest({ records, secrets })
}

/** Creates a snapshot of any content with the right digest. */
export function withDigest(content: { records: unknown; secrets?: unknown }): Snapshot {
  const { records, secrets } = content
  const list: unknown[] = Array.isArray(records) ? records : []
  // Unlike `map`, it does not leave out the holes of a list.
  const texts = Array.from(list, (each) => JSON.stringify(each ?? null))
  const digest = allAtOnce(digestOf(texts, secrets as string))
  return { format: 'svtrain-emulator snapshot', version: 1, digest, records, secrets } as Snapshot
}
