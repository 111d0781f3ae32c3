import type { MadeAutomation } from '../../service/engine/automation-store.js'
import type { WorldRecord } from '../../service/engine/saved/records.js'
import type { SavedWorld } from '../../service/engine/saved/restore.js'
import type { EventType, WebhookParts } from '../../service/scenario/scenario.js'
import { happensOnce } from './event.js'
import { partsOfKey } from './saved-key.js'
import { replaced, SEPARATOR, type PieceKind } from './saved-webhooks.js'
import type { ChangedParts, SavedPieces } from './saved-webhooks-schema.js'

/** Returns the webhooks, automations and secrets of a saved world: its scenario's, with later changes. */
export function partsIn(saved: SavedWorld): WebhookParts {
  const { secrets, webhooks, automations } = saved.scenario
  const changed = changedIn(saved)
  if (!changed) return { secrets, webhooks, automations }
  const { added, removed, removedSecrets = [] } = changed
  const remaining = Object.entries(secrets).filter(([name]) => !removedSecrets.includes(name))
  const remains = (name: string): boolean => !removed.includes(name)
  return {
    secrets: { ...Object.fromEntries(remaining), ...added.secrets },
    webhooks: replaced(
      webhooks.filter(({ name }) => remains(name)),
      added.webhooks,
    ),
    automations: replaced(
      automations.filter(({ name, webhook }) => remains(name) && remains(webhook)),
      added.automations,
    ),
  }
}

/** Returns the automations of a saved world that programs made. */
export function madeIn(saved: SavedWorld): readonly MadeAutomation[] {
  return changedIn(saved)?.made ?? []
}

/** Returns the names of the webhooks that a saved world had, also those of options. */
export function webhooksIn(saved: SavedWorld): string[] {
  const removed = changedIn(saved)?.removed ?? []
  return savedEntries(saved).flatMap(({ kind, name }) => {
    return kind === 'webhook' && !removed.includes(name) ? [name] : []
  })
}

function changedIn({ records }: SavedWorld): ChangedParts | undefined {
  const found = records.find((record) => record.kind === 'outgoing' && record.key === 'parts')
  return found?.kind === 'outgoing' ? (found.kept as ChangedParts) : undefined
}

/**
 * Whether anything reads a record. Versions up to 0.2 also counted what never happens again, several times for each
 * job.
 */
export function isRead(record: WorldRecord): boolean {
  if (record.kind !== 'outgoing') return true
  const { kind, rest } = partsOfKey(record.key)
  const [, type, key, ...others] = rest.split(SEPARATOR)
  // If a name contains the separator, the parts are not known.
  if (kind !== 'fired' || key === undefined || others.length > 0) return true
  return !happensOnce({ type: type as EventType, key })
}

/** A saved entry, read from its key and its value. */
export type SavedEntry = {
  [Kind in PieceKind]: {
    kind: Kind
    /** The name of the webhook or the automation; otherwise the rest of the key. */
    name: string
    /** For what an automation remembers, the id of the run. */
    run: string
    value: SavedPieces[Kind]
  }
}[PieceKind]

/** Returns the saved entries in the order in which they depend on each other. */
export function savedEntries({ records }: SavedWorld): SavedEntry[] {
  const byKind: Record<PieceKind, SavedEntry[]> = {
    parts: [],
    triggered: [],
    fired: [],
    webhook: [],
    automation: [],
    delivery: [],
  }
  for (const record of records) {
    if (record.kind !== 'outgoing') continue
    const { key, kept: value } = record
    const { kind: word, rest } = partsOfKey(key)
    const kind = word as PieceKind
    const [name, run] = kind === 'automation' ? namesOf(rest) : [rest, '']
    // The schema of its kind accepted it.
    byKind[kind].push({ kind, name, run, value } as SavedEntry)
  }
  return Object.values(byKind).flat()
}

/** The names of an automation and of a run. That of the run may contain the separator: a client chose it. */
function namesOf(rest: string): [automation: string, run: string] {
  const [automation = ''] = rest.split(SEPARATOR, 1)
  return [automation, rest.slice(automation.length + SEPARATOR.length)]
}
