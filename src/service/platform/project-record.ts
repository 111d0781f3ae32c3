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
  /** Who may see it. Undefined: the team, as for every new project. */
  access: field.optional(field.text),
  /** How a page shows it: a JSON value as text, which only clients read. */
  views: field.optional(field.text),
  /** Whether artifacts of types that it does not have may be linked to it. Undefined: they may. */
  allowsAllTypes: field.optional<boolean, boolean>({ kind: 'flag' }),
  /** The types of artifacts that it has, and since when. A client may create one before an artifact of it. */
  types: field.fixed(field.moments),
}

/** What a project says about itself. */
export type ProjectRecord = RecordOf<typeof PROJECT> & { readonly id: string }
