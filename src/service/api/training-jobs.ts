import { apiErrors } from '../contract/errors.js'
import { pageOf, pageQuery } from '../contract/page.js'
import {
  trainingJobEventResponse,
  trainingJobPath,
  trainingJobResponse,
} from '../contract/training-job.js'
import type { Job } from '../engine/jobs/job.js'
import type { WrittenEvent } from '../engine/jobs/job-events.js'
import { operation } from './operation.js'
import { findJob } from './ownership.js'
import { arrivals, cursorOf, pageJson, readPage, type Listing } from './paging.js'
import { WrittenReply } from './result.js'
import { createRlTrainingJob } from './rl-job.js'
import { createSftJob } from './sft-job.js'

export const getTrainingJob = operation({
  id: 'getTrainingJob',
  host: 'training',
  method: 'GET',
  path: '/v1/preview/training-jobs/{training_job_id}',
  name: 'get_training_job',
  tag: 'training-jobs',
  summary: 'Get Training Job',
  auth: 'bearer',
  params: trainingJobPath,
  response: trainingJobResponse,
  run({ engine, account, params, entry }) {
    const job = findJob({ engine, account }, params.training_job_id)
    if (!job) return apiErrors.trainingJobNotFound()
    // A client that polls the record waits for progress, like one that lists events.
    engine.autoSkip.skipToNextEvent(job, `${account.key} record`)
    entry.jobView = { jobId: job.id, over: job.over }
    const { record } = job
    engine.training.wasRead(job)
    return record
  },
})

const listTrainingJobEvents = operation({
  id: 'listTrainingJobEvents',
  host: 'training',
  method: 'GET',
  path: '/v1/preview/training-jobs/{training_job_id}/events',
  name: 'get_training_job_events',
  tag: 'training-jobs',
  summary: 'Get Training Job Events',
  auth: 'bearer',
  params: trainingJobPath,
  query: pageQuery,
  response: pageOf(trainingJobEventResponse),
  run({ engine, account, params, query, entry, pageFaults: faults }) {
    const job = findJob({ engine, account }, params.training_job_id)
    if (!job) return apiErrors.trainingJobNotFound()
    const after = cursorOf(query)
    const start = after === undefined ? 0 : placeAfter(job, after)
    if (start === undefined) return apiErrors.eventCursorNotFound(after!)
    const { key } = account
    const requested = (): number => Math.min(start + query.limit, job.events.count)
    engine.autoSkip.skipToNextPause(job, { key, upTo: requested() })
    const page = readPage(listingOf(job), { after, limit: query.limit, faults })
    if (!page) return apiErrors.eventCursorNotFound(after!)
    const shown = placesOf(job, page.data)
    // A fault may empty the page. Time goes on for a client that polls again.
    engine.autoSkip.markSeen(job, { key, upTo: shown?.[1] ?? requested() })
    entry.jobView = {
      jobId: job.id,
      from: start,
      over: job.over && !page.has_more,
      ...(shown && { shown }),
    }
    const answer = new WrittenReply(pageJson(page))
    for (let due = arrivals(faults); due > 0; due--) engine.training.moveNow(job)
    if (!page.has_more) engine.training.wasRead(job)
    return answer
  },
})

function listingOf(job: Job): Listing<WrittenEvent> {
  return {
    size: job.events.count,
    placeAfter: (id) => placeAfter(job, id),
    slice(start, end) {
      const events: WrittenEvent[] = []
      for (let index = start; index < end; index++) events.push(job.events.jsonAt(index))
      return events
    },
  }
}

/** The places of the events of a page. Undefined if it is empty. */
function placesOf({ events }: Job, [first, ...others]: readonly WrittenEvent[]) {
  const start = first && events.indexOf(first.id)
  return start === undefined ? undefined : ([start, start + 1 + others.length] as const)
}

function placeAfter(job: Job, id: string): number | undefined {
  const index = job.events.indexOf(id)
  return index === undefined ? undefined : index + 1
}

export const trainingJobOperations = [
  createRlTrainingJob,
  createSftJob,
  getTrainingJob,
  listTrainingJobEvents,
]
