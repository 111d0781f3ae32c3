import * as field from './field.js'
import type { RecordOf } from './record.js'

/** A project of an entity. */
export const PROJECT = {
  /** Its number in this world, from 1. Clients ask for it. */
  ordinal: field.fixed(field.ordinal),
  /** The team or the user that owns it. */
  entity: field.fixed(field.name),
  name: field.fixed(field.name),
  createdAt: field.fixed(field.moment),
  description: field.withDefault(field.text, ''),
  /** The types of artifacts that it has, and since when. A client may create one before an artifact of it. */
  types: field.fixed(field.moments),
}

/** What a project says about itself. */
export type ProjectRecord = RecordOf<typeof PROJECT> & { readonly id: string }
