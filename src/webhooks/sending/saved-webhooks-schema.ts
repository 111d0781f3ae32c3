import * as z from 'zod'
import {
  fieldsOf,
  isCount,
  isFigure,
  isMoment,
  isOrdinal,
  isSimple,
  isText,
  listOf,
  mapOf,
  type Check,
} from '../../service/engine/snapshot/quick-check.js'
import { figure, moment } from '../../service/engine/snapshot/record-schema.js'
import type { WorldRecord } from '../../service/engine/snapshot/records.js'
import { receiverUrl, webhookParts } from '../../service/scenario/schema/webhooks.js'
import type { RunMemory } from './automation.js'
import type { SavedDelivery } from './delivery.js'
import type { ChangedParts, SavedWebhook } from './saved-webhooks.js'
import { eventTypes } from './trigger.js'

const count = z.int().nonnegative()
const names = z.array(z.string())
const facts = z.record(z.string(), z.unknown())

/** The most times that an adversary sends one delivery. */
const MOST_TIMES = 1000

const parts: z.ZodType<ChangedParts> = z.strictObject({
  added: webhookParts,
  removed: names,
  removedSecrets: names.exactOptional(),
})

const webhook: z.ZodType<SavedWebhook> = z.strictObject({
  disabled: z.string().optional(),
  count,
})

const automation: z.ZodType<RunMemory> = z.strictObject({
  values: z.array(z.number()).optional(),
  firedAt: moment.optional(),
})

const event = z.strictObject({
  type: z.enum(eventTypes),
  key: z.string(),
  at: moment,
  jobId: z.string().optional(),
  author: z.string(),
  entity: z.string(),
  project: z.string(),
  registry: z.string().optional(),
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
      state: z.enum(['running', 'finished', 'failed']).optional(),
      metrics: facts.optional(),
    })
    .optional(),
  metric: z.strictObject({ name: z.string(), value: figure }).optional(),
})

const delivery: z.ZodType<SavedDelivery> = z.strictObject({
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
  }),
  ordinal: count,
  status: z.enum(['pending', 'delivered', 'failed', 'cancelled']),
  body: z.string(),
  attempts: z.array(
    z.strictObject({
      number: z.int().positive(),
      at: moment,
      took: z.number(),
      headers: z.record(z.string(), z.string()),
      status: z.int().optional(),
      answer: z.string().optional(),
      error: z.string().optional(),
      sent: z.literal(true).optional(),
    }),
  ),
  toDo: z.array(
    z.strictObject({
      times: z.int().min(1).max(MOST_TIMES),
      at: moment.optional(),
      until: z.enum(['next', 'newer']).optional(),
    }),
  ),
})

const schemas = new Map<string, z.ZodType>(
  Object.entries({ parts, triggered: count, fired: count, webhook, automation, delivery }).map(
    ([what, kept]) => [what, pieceRecord(kept)],
  ),
)

function pieceRecord(kept: z.ZodType): z.ZodType {
  // An entry that is gone is null.
  return z.strictObject({ kind: z.literal('outgoing'), key: z.string(), kept: kept.nullable() })
}

function isOneOf(...texts: readonly string[]): Check {
  return (value) => texts.some((text) => text === value)
}

let knownUrl: string | undefined

/** Remembers a valid URL, because most deliveries have the same. */
const isUrl: Check = (value) => {
  if (value !== knownUrl) {
    const read = receiverUrl.safeParse(value)
    if (!read.success) return false
    knownUrl = read.data
  }
  return true
}

const isDelivery = fieldsOf({
  automation: isText,
  webhook: isText,
  url: isUrl,
  event: fieldsOf(
    {
      type: isOneOf(...eventTypes),
      key: isText,
      at: isMoment,
      author: isText,
      entity: isText,
      project: isText,
    },
    {
      jobId: isText,
      registry: isText,
      alias: isText,
      tag: isText,
      artifact: fieldsOf({
        collection: isText,
        version: isText,
        versionString: isText,
        metadata: mapOf(isSimple),
      }),
      run: fieldsOf(
        { id: isText, name: isText },
        {
          state: isOneOf('running', 'finished', 'failed'),
          metrics: mapOf(isSimple),
        },
      ),
      metric: fieldsOf({ name: isText, value: isFigure }),
    },
  ),
  tampering: fieldsOf({}),
  ordinal: isCount,
  status: isOneOf('pending', 'delivered', 'failed', 'cancelled'),
  body: isText,
  attempts: listOf(
    fieldsOf(
      {
        number: isOrdinal,
        at: isMoment,
        took: Number.isFinite,
        headers: mapOf(isText),
      },
      { status: Number.isSafeInteger, answer: isText, error: isText },
    ),
  ),
  toDo: listOf(
    fieldsOf(
      { times: (value) => isOrdinal(value) && Number(value) <= MOST_TIMES },
      { at: isMoment, until: isOneOf('next', 'newer') },
    ),
  ),
})

const isWebhook = fieldsOf({ count: isCount }, { disabled: isText })
const isAutomation = fieldsOf({}, { values: listOf(Number.isFinite), firedAt: isMoment })

/** By the first word of their keys. */
const usual: Readonly<Record<string, Check>> = {
  delivery: isDelivery,
  webhook: isWebhook,
  automation: isAutomation,
  fired: isCount,
  triggered: isCount,
}

/**
 * Whether a record is certainly a valid one of a saved entry: a usual one, or one that is gone. If not, only the
 * schema knows.
 */
export function isSurelyValidPiece(record: unknown): record is Piece {
  const { kind, key, kept } = Object(record) as Partial<Piece>
  if (kind !== 'outgoing' || typeof key !== 'string') return false
  if (Object.keys(record as object).length !== 3) return false
  const what = key.slice(0, key.indexOf(' '))
  return Object.hasOwn(usual, what) && (kept === null || usual[what]!(kept))
}

type Piece = Extract<WorldRecord, { kind: 'outgoing' }>

/** Returns the schema for the record of a saved entry, by its key; undefined for an unknown key. */
export function pieceSchema(key: string): z.ZodType | undefined {
  const [what = ''] = key.split(' ', 1)
  // Only the parts have no name.
  return (what === 'parts') === (key === 'parts') ? schemas.get(what) : undefined
}

/** The words that keys of saved entries begin with. */
export const pieceKinds: readonly string[] = [...schemas.keys()]
