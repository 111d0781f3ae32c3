import * as z from 'zod'
import { figure, moment, type FieldsOf } from '../../service/engine/saved/record-fields.js'
import { receiverUrl, webhookParts } from '../../service/scenario/schema/webhooks.js'
import { AUTOMATION_ACTIONS } from '../../base/text/vendor/platform-names.js'
import {
  SCOPE_TYPES,
  type MadeAction,
  type MadeAutomation,
} from '../../service/engine/automation-store.js'
import type { SavedDelivery } from './delivery.js'
import type { PieceKind, SavedPieces } from './saved-webhooks.js'
import { eventTypes } from '../../service/scenario/event-types.js'
import { RUN_STATES } from '../../service/scenario/run-states.js'

const count = z.int().nonnegative()
const names = z.array(z.string())
const facts = z.record(z.string(), z.unknown())

/** The most times that an adversary sends one delivery. */
const MOST_TIMES = 1000

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
  made: z.array(made).exactOptional(),
} satisfies FieldsOf<SavedPieces['parts']>)

const webhook = z.strictObject({
  disabled: z.string().optional(),
  count,
} satisfies FieldsOf<SavedPieces['webhook']>)

const automation = z.strictObject({
  values: z.array(z.number()).optional(),
  firedAt: moment.optional(),
  firings: z.array(moment).optional(),
} satisfies FieldsOf<SavedPieces['automation']>)

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
} satisfies FieldsOf<SavedDelivery['event']>)

const delivery = z.strictObject({
  automation: z.string(),
  webhook: z.string(),
  url: receiverUrl,
  event,
  tampering: z.strictObject({
    secret: z
      .union([z.literal('wrong'), z.strictObject({ named: z.string() })], {
        error: 'expected "wrong", or which is named',
      })
      .exactOptional(),
    body: z.enum(['altered', 'truncated']).exactOptional(),
    unsigned: z.boolean().exactOptional(),
  } satisfies FieldsOf<SavedDelivery['tampering']>),
  ordinal: count,
  status: z.enum(['pending', 'delivered', 'failed', 'cancelled']),
  body: z.string(),
  attempts: z.array(
    z.strictObject({
      number: z.int().positive(),
      copy: z.int().min(2).optional(),
      at: moment,
      took: z.number(),
      headers: z.record(z.string(), z.string()),
      status: z.int().optional(),
      answer: z.string().optional(),
      error: z.string().optional(),
      sent: z.literal(true).optional(),
    } satisfies FieldsOf<SavedDelivery['attempts'][number]>),
  ),
  toDo: z.array(
    z.strictObject({
      times: z.int().min(1).max(MOST_TIMES),
      copy: z.int().min(2).optional(),
      at: moment.optional(),
      until: z.enum(['next', 'newer']).optional(),
    } satisfies FieldsOf<SavedDelivery['toDo'][number]>),
  ),
} satisfies FieldsOf<SavedDelivery>)

const pieces: { [Kind in PieceKind]: z.ZodType<SavedPieces[Kind]> } = {
  parts,
  triggered: count,
  fired: count,
  webhook,
  automation,
  delivery,
}

const schemas = new Map<string, z.ZodType>(
  Object.entries(pieces).map(([what, kept]) => [what, pieceRecord(kept)]),
)

function pieceRecord(kept: z.ZodType): z.ZodType {
  // An entry that is gone is null.
  return z.strictObject({ kind: z.literal('outgoing'), key: z.string(), kept: kept.nullable() })
}

/** Returns the schema for the record of a saved entry, by its key; undefined for an unknown key. */
export function pieceSchema(key: string): z.ZodType | undefined {
  const what = wordOf(key)
  // Only the parts have no name.
  return (what === 'parts') === (key === 'parts') ? schemas.get(what) : undefined
}

/** The word that the key of a saved entry begins with. */
function wordOf(key: string): string {
  const space = key.indexOf(' ')
  return space === -1 ? key : key.slice(0, space)
}

/** The words that keys of saved entries begin with. */
export const pieceKinds: readonly string[] = [...schemas.keys()]
