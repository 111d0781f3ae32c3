import * as z from 'zod'
import { didYouMean } from '../../base/text/nearest.js'
import { problem, readPart, type PartCheck } from '../../service/scenario/part-problems.js'
import { SECRET } from '../../service/engine/saved/saved-part.js'
import { figure, moment, type FieldsOf } from '../../service/engine/saved/record-fields.js'
import { MOST_TIMES } from '../../service/scenario/schema/adversary.js'
import { receiverUrl, webhookParts } from '../../service/scenario/schema/webhooks.js'
import { AUTOMATION_ACTIONS } from '../../base/text/vendor/platform-names.js'
import {
  SCOPE_TYPES,
  type MadeAction,
  type MadeAutomation,
} from '../../service/engine/automation-store.js'
import type { WebhookEvent } from './event.js'
import { partsOfKey } from './saved-key.js'
import { eventTypes } from '../../service/scenario/event-types.js'
import { RUN_STATES } from '../../service/scenario/run-states.js'

const count = z.int().nonnegative()
const names = z.array(z.string())
const facts = z.record(z.string(), z.unknown())

const actionTypes = Object.keys(AUTOMATION_ACTIONS) as MadeAction['type'][]

const made = z.strictObject({
  id: z.string(),
  name: z.string(),
  description: z.string().optional(),
  enabled: z.boolean(),
  scope: z.strictObject({ type: z.enum(SCOPE_TYPES), id: z.string(), entity: z.string() }),
  event: z.string(),
  filter: z.string(),
  action: z.strictObject({
    type: z.enum(actionTypes),
    webhook: z.string().optional(),
    input: facts,
  }),
  createdAt: moment,
  updatedAt: moment.optional(),
} satisfies FieldsOf<MadeAutomation>)

const parts = z.strictObject({
  added: webhookParts,
  removed: names,
  removedSecrets: names.exactOptional(),
  /** The automations that programs made. */
  made: z.array(made).exactOptional(),
})

/** What code or the control API changed about the scenario's parts. */
export type ChangedParts = z.infer<typeof parts>

const webhook = z.strictObject({
  disabled: z.string().optional(),
  count,
})

/** The state of a webhook. */
export type SavedWebhook = z.infer<typeof webhook>

const automation = z.strictObject({
  values: z.array(z.number()).optional(),
  /** Milliseconds since the epoch, on the world's clock. */
  firedAt: moment.optional(),
  /** The moments of firings that still count for a limit. */
  firings: z.array(moment).optional(),
})

/** What an automation remembers about one run. About itself, it remembers its firings alone. */
export type RunMemory = z.infer<typeof automation>

const event = z.strictObject({
  type: z.enum(eventTypes),
  key: z.string(),
  at: moment,
  jobId: z.string().optional(),
  author: z.string(),
  entity: z.string(),
  project: z.string(),
  registry: z.string().optional(),
  onlyInRegistry: z.boolean().optional(),
  alias: z.string().optional(),
  tag: z.string().optional(),
  artifact: z
    .strictObject({
      collection: z.string(),
      version: z.string(),
      versionString: z.string(),
      metadata: facts,
    })
    .optional(),
  run: z
    .strictObject({
      id: z.string(),
      name: z.string(),
      state: z.enum(RUN_STATES).optional(),
      metrics: facts.optional(),
      user: z.string().optional(),
      key: z.string().optional(),
    })
    .optional(),
  metric: z.strictObject({ name: z.string(), value: figure as z.ZodType<number> }).optional(),
} satisfies FieldsOf<Omit<WebhookEvent, 'cause'>>)

const tampering = z.strictObject({
  /** It is signed with a secret that no receiver has, or with the secret of that name. */
  secret: z
    .union([z.literal('wrong'), z.strictObject({ named: z.string() })], {
      error: 'expected "wrong", or which is named',
    })
    .exactOptional(),
  body: z.enum(['altered', 'truncated', 'respelled']).exactOptional(),
  unsigned: z.boolean().exactOptional(),
})

/** What is changed about the bytes and the signature of one delivery. */
export type Tampering = z.infer<typeof tampering>

const toDo = z.strictObject({
  /** How often it is sent then. */
  times: z.int().min(1).max(MOST_TIMES),
  /** Which copy it is, from 2. Undefined for the delivery itself. */
  copy: z.int().min(2).optional(),
  /** When, in milliseconds since the epoch on the emulator's clock. Undefined: queued or under way. */
  at: moment.optional(),
  /** Earlier than `at`: with the next delivery of its webhook, or with one of a newer state. */
  until: z.enum(['next', 'newer']).optional(),
})

/** Something that remains to be done with a delivery. */
export type ToDo = z.infer<typeof toDo>

const delivery = z.strictObject({
  automation: z.string(),
  webhook: z.string(),
  url: receiverUrl,
  event,
  tampering,
  ordinal: count,
  status: z.enum(['pending', 'delivered', 'failed', 'cancelled']),
  body: z.string(),
  attempts: z.array(
    z.strictObject({
      number: z.int().positive(),
      copy: z.int().min(2).optional(),
      url: receiverUrl.optional(),
      at: moment,
      took: z.number(),
      headers: z.record(z.string(), z.string()),
      status: z.int().optional(),
      answer: z.string().optional(),
      error: z.string().optional(),
      /** Whether other bytes than the body were sent. They follow from the tampering. */
      sent: z.literal(true).optional(),
    }),
  ),
  toDo: z.array(toDo),
})

/** A delivery as plain JSON, in a snapshot or a data folder. */
export type SavedDelivery = z.infer<typeof delivery>

const pieces = {
  parts,
  /** How often an event was triggered by hand. */
  triggered: count,
  /** How often an automation fired about the same event. */
  fired: count,
  webhook,
  automation,
  delivery,
}

/** What is saved of each kind of entry. Its key begins with the kind. */
export type SavedPieces = { [Kind in keyof typeof pieces]: z.infer<(typeof pieces)[Kind]> }

const schemas = new Map<string, z.ZodType>(
  Object.entries(pieces).map(([what, kept]) => [what, pieceRecord(kept)]),
)

function pieceRecord(kept: z.ZodType): z.ZodType {
  // An entry that is gone is null.
  return z.strictObject({ kind: z.literal('outgoing'), key: z.string(), kept: kept.nullable() })
}

/** Returns the schema for the record of a saved entry, by its key; undefined for an unknown key. */
export function pieceSchema(key: string): z.ZodType | undefined {
  const { kind } = partsOfKey(key)
  // Only the parts have no name.
  return (kind === 'parts') === (key === 'parts') ? schemas.get(kind) : undefined
}

/** Reads the record of a saved entry. */
export function readPiece(record: { readonly key: string }): PartCheck<unknown> {
  const { key } = record
  const schema = pieceSchema(key)
  if (!schema) return { ok: false, problems: [problem(['key'], false, unknownPiece(key))] }
  const read = readPart(schema, record, { hides: SECRET.mayBeSecret })
  // Only the parts have defaults to fill in. Others keep the order of their keys.
  return read.ok && key !== 'parts' ? { ok: true, value: record } : read
}

function unknownPiece(key: string): string {
  const { kind } = partsOfKey(key)
  const meant = pieceKinds.includes(kind) ? '' : didYouMean(kind, pieceKinds)
  const hint = meant && `.${meant}`
  return `expected "parts", or one of ${pieceKinds.slice(1).join(', ')} and a name${hint}`
}

/** The words that keys of saved entries begin with. */
export const pieceKinds: readonly string[] = [...schemas.keys()]
