import { anything, boolean, string } from '../../../service/contract/pydantic/scalars.js'
import { defaulted, optional, required } from '../../../service/contract/pydantic/fields.js'
import { integer } from '../../../service/contract/pydantic/integer.js'
import { list, nullable } from '../../../service/contract/pydantic/containers.js'
import { literal } from '../../../service/contract/pydantic/literal.js'
import { model } from '../../../service/contract/pydantic/model.js'
import type { Infer } from '../../../service/contract/pydantic/schema.js'
import type { SavedRecord } from '../../snapshot.js'
import { controlBody, controlQuery, objectOf } from './body-and-query.js'

export const snapshotQuery = controlQuery({
  secrets: defaulted(boolean, () => true, {
    description: 'Whether to include API keys, secrets, deliveries and the state of faults.',
  }),
})

export const snapshot = model('Snapshot', {
  format: literal('svtrain-emulator snapshot'),
  version: integer,
  digest: required(string, { description: 'Detects a snapshot that was altered.' }),
  records: list(objectOf<SavedRecord>()),
  secrets: optional(string, {
    description: 'The records that contain secrets, in base64. Not encrypted.',
  }),
})
/** A snapshot. Its values are checked when it is read. */
export const snapshotRequest = controlBody('SnapshotRequest', {
  format: optional(anything),
  version: optional(anything),
  digest: optional(anything),
  records: optional(anything),
  secrets: optional(anything),
})

export const restored = model('Restored', {
  scenario: required(string, { description: 'The name of its scenario.' }),
  seed: required(integer, { description: 'Its seed.' }),
  now: required(string, { description: 'The time on its clock.' }),
  models: required(integer, { description: 'How many models it has.' }),
  jobs: required(integer, { description: 'How many jobs it has.' }),
  running_jobs: required(integer, { description: 'How many of them run.' }),
  secrets_without_value: required(list(string), {
    description: 'Secrets without a value. Deliveries that they should sign are sent unsigned.',
  }),
  missing_webhooks: required(
    list(
      model('MissingWebhook', {
        name: required(string, { description: 'Its name.' }),
        url: required(nullable(string), {
          description: 'Where its latest delivery went. Null if it has none.',
        }),
      }),
    ),
    { description: 'Webhooks of options, which are not saved, until they are named again.' },
  ),
})

/** What a restored snapshot contains. */
export type Restored = Infer<typeof restored>
