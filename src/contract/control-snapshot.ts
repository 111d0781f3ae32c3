import { anything } from './validation/anything.js'
import { boolean } from './validation/boolean.js'
import { dictionary } from './validation/dictionary.js'
import { defaulted, optional, required } from './validation/fields.js'
import { integer } from './validation/integer.js'
import { list } from './validation/list.js'
import { model } from './validation/model.js'
import { parameters } from './validation/parameters.js'
import type { Infer } from './validation/schema.js'
import { string } from './validation/string.js'

/** What goes over the wire of the control API about snapshots. */

export const snapshotQuery = parameters('query', {
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
/** A snapshot. What reads it checks it, and names each field that is wrong. */
export const snapshotRequest = dictionary(anything)

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
