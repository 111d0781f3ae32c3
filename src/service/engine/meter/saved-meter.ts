import type { ContentFrom, RecordFields } from '../saved/record-fields.js'
import type { KeyedRecord, SavedPart } from '../saved/saved-part.js'

function meterFields({ strictObject, string, count }: RecordFields) {
  const chats = strictObject({
    /** The number of training jobs that were created before them. */
    jobs: count,
    /** The id of the model, or of the base model. */
    model: string(),
    /** The name of the model; the id of a base model. */
    name: string(),
    /** The id of the base model. */
    base: string(),
    /** The step of the checkpoint. Null for a base model. */
    step: count.nullable(),
    chats: count,
    /** Tokens of prompts. */
    prompt: count,
    /** Tokens of answers. */
    completion: count,
  })
  return { chats }
}

type MeterContent = ContentFrom<typeof meterFields>

/** The chats of one model at one step, between two training jobs. */
export type MeteredChats = MeterContent['chats']

export interface MeterWorld {
  readonly engine: { readonly meter: { readonly chats: Map<string, MeteredChats> } }
}

type MeterRecord = KeyedRecord<'metered', MeterContent>

/** What chats used. */
export const savedMeter: SavedPart<MeterRecord, MeteredChats, MeterWorld> = {
  kind: 'metered',
  fields: meterFields,
  all: ({ engine }) => engine.meter.chats,
  content: (chats) => ({ chats }),
  restore(records, { engine }) {
    for (const { key, chats } of records) engine.meter.chats.set(key, { ...chats })
  },
}
