import type { WorldRecord } from '../engine/snapshot/records.js'
import type { Scenario } from '../scenario/scenario.js'
import { shownScenario, shownWebhook } from '../scenario/shown.js'
import type { ChangedParts } from '../webhooks/saved-webhooks.js'

/**
 * A record as anybody may read it: the same where nothing of it is secret, less where an API key, a
 * secret or a password stands in it, and nothing where such may be anywhere in it.
 */
export function readable(record: WorldRecord): WorldRecord | undefined {
  if (record.kind === 'world') return { ...record, scenario: readableScenario(record.scenario) }
  if (record.kind === 'outgoing') return readableOutgoing(record)
  // Faults count the calls of each key, and the address of SFT data may be signed.
  return record.kind === 'faults' || record.kind === 'sft' ? undefined : record
}

/** Without its keys, any is accepted. */
function readableScenario(scenario: Scenario): Scenario {
  const shown = shownScenario(scenario)
  const { keys: _keys, ...auth } = shown.auth
  return { ...shown, auth, secrets: {} }
}

/** Payloads and answers may have a secret in them. */
function readableOutgoing(record: WorldRecord & { kind: 'outgoing' }): WorldRecord | undefined {
  if (record.key.startsWith('delivery ')) return undefined
  if (record.key !== 'parts') return record
  const { added, ...rest } = record.kept as ChangedParts
  const webhooks = added.webhooks.map(shownWebhook)
  return { ...record, kept: { ...rest, added: { ...added, secrets: {}, webhooks } } }
}
