import type { FieldsOf } from '../saved/record-fields.js'
import type { SavedPart } from '../saved/saved-part.js'

/** The chats of one model at one step, between two training jobs. */
export interface MeteredChats {
  /** The number of training jobs that were created before them. */
  readonly jobs: number
  /** The id of the model, or of the base model. */
  readonly model: string
  /** The name of the model; the id of a base model. */
  readonly name: string
  /** The id of the base model. */
  readonly base: string
  /** The step of the checkpoint. Null for a base model. */
  readonly step: number | null
  chats: number
  /** Tokens of prompts. */
  prompt: number
  /** Tokens of answers. */
  completion: number
}

export interface MeterWorld {
  readonly engine: { readonly meter: { readonly chats: Map<string, MeteredChats> } }
}

export interface SavedMeter {
  kind: 'metered'
  key: string
  chats: MeteredChats
}

/** What chats used. */
export const savedMeter: SavedPart<SavedMeter, MeteredChats, MeterWorld> = {
  kind: 'metered',
  schema({ strictObject, literal, string, count }) {
    return strictObject({
      kind: literal('metered'),
      key: string(),
      chats: strictObject({
        jobs: count,
        model: string(),
        name: string(),
        base: string(),
        step: count.nullable(),
        chats: count,
        prompt: count,
        completion: count,
      } satisfies FieldsOf<MeteredChats>),
    } satisfies FieldsOf<SavedMeter>)
  },
  all: ({ engine }) => engine.meter.chats,
  records: (chats, key) => [{ kind: 'metered', key, chats }],
  restore(records, { engine }) {
    for (const { key, chats } of records) engine.meter.chats.set(key, { ...chats })
  },
}
