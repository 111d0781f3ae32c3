import { optional, required } from '../../../service/contract/pydantic/fields.js'
import { integer } from '../../../service/contract/pydantic/integer.js'
import { list } from '../../../service/contract/pydantic/containers.js'
import { model } from '../../../service/contract/pydantic/model.js'
import type { Infer } from '../../../service/contract/pydantic/schema.js'
import { string } from '../../../service/contract/pydantic/scalars.js'
import { controlQuery } from './body-and-query.js'
import { clock } from './clock.js'
import { job } from './jobs.js'
import { entry } from './journal.js'

export const streamQuery = controlQuery({
  after: optional(integer, {
    description: 'The id of a journal entry. The stream begins with the entries after it.',
  }),
  world: optional(string, {
    description: 'The name of a world, for browsers, which cannot send the Svtrain-World header.',
  }),
})
/** The data of the server-sent events, by the names of the events. */
export const streamEvents = {
  entries: model('StreamEntries', {
    entries: list(entry),
    skipped: required(integer, { description: 'How many entries were left out before these.' }),
  }),
  jobs: model('StreamJobs', {
    jobs: list(job),
    skipped: required(integer, { description: 'How many changes were left out before these.' }),
  }),
  clock,
  reset: model('StreamReset', {}),
  worlds: model('StreamWorlds', {
    worlds: required(list(string), {
      description: 'The names of the worlds of API keys. Sent at first, and when they change.',
    }),
  }),
}

export type StreamEvents = {
  [Name in keyof typeof streamEvents]: Infer<(typeof streamEvents)[Name]>
}
