import { controlBody, controlQuery } from './control-input.js'
import { anything } from '../contract/pydantic/anything.js'
import { boolean } from '../contract/pydantic/boolean.js'
import { dictionary } from '../contract/pydantic/dictionary.js'
import { defaulted, optional, required } from '../contract/pydantic/fields.js'
import { integer } from '../contract/pydantic/integer.js'
import { list } from '../contract/pydantic/list.js'
import { model } from '../contract/pydantic/model.js'
import type { Infer } from '../contract/pydantic/schema.js'
import { string } from '../contract/pydantic/string.js'

/** What goes over the wire of the control API about snapshots. */

export const snapshotQuery = controlQuery({
  secrets: defaulted(boolean, () => true, {
    description: 'Whether API keys, secrets, deliveries and what faults remember are in it.',
  }),
})

/** Written by the emulator alone: its digest tells whether anything was altered. */
export const snapshot = model('Snapshot', {
  format: string,
  version: integer,
  digest: string,
  records: list(dictionary(anything)),
  secrets: optional(string, { description: 'Of whom it has: base64, not encrypted.' }),
})
/** The keys of a snapshot. Reading the snapshot checks their values. */
export const snapshotRequest = controlBody('SnapshotRequest', {
  format: optional(anything),
  version: optional(anything),
  digest: optional(anything),
  records: optional(anything),
  secrets: optional(anything),
})

export const restored = model('Restored', {
  scenario: string,
  seed: integer,
  now: string,
  models: integer,
  /** All of them, and those that go on. */
  jobs: integer,
  running_jobs: integer,
  secrets_without_value: required(list(string), {
    description: 'What these sign goes out unsigned.',
  }),
})

export type Restored = Infer<typeof restored>
