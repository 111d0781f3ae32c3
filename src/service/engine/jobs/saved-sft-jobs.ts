import { SECRET, type KeyedRecord, type SavedPart } from '../saved/saved-part.js'
import type { Store } from '../store.js'
import type { Job } from './job.js'

type SftJobRecord = KeyedRecord<'sft', { job: string }>

/** The SFT jobs by their model and data. The URL of the data may be signed. */
export const savedSftJobs: SavedPart<SftJobRecord, Job, { engine: { store: Store } }> = {
  ...SECRET,
  kind: 'sft',
  fields: ({ string }) => ({ job: string() }),
  all: ({ engine }) => engine.store.sftJobs,
  content: (job) => ({ job: job.id }),
  restore(records, { engine: { store } }) {
    for (const { key, job } of records) store.sftJobs.set(key, store.jobs.get(job)!)
  },
}
