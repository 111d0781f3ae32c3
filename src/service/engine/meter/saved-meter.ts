import type { FieldsOf } from '../saved/record-fields.js'
import type { KeyedRecord, SavedPart } from '../saved/saved-part.js'

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

type MeterRecord = KeyedRecord<'metered', { chats: MeteredChats }>

/** What chats used. */
export const savedMeter: SavedPart<MeterRecord, MeteredChats, MeterWorld> = {
  kind: 'metered',
  fields: ({ strictObject, string, count }) => ({
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
  }),
  all: ({ engine }) => engine.meter.chats,
  content: (chats) => ({ chats }),
  restore(records, { engine }) {
    for (const { key, chats } of records) engine.meter.chats.set(key, { ...chats })
  },
}
