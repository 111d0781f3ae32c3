import { UUID } from '../../base/text/uuid.js'
import type { Engine } from '../../service/engine/engine.js'
import type { Job } from '../../service/engine/jobs/job.js'
import type { RequestEntry } from '../../service/engine/journal.js'

type Store = Pick<Engine['store'], 'jobs'>

/** The job that a request names in its path, also if it was refused. */
export function jobNamedIn({ path }: RequestEntry, { jobs }: Store): Job | undefined {
  return idsIn(path)
    .map((id) => jobs.get(id))
    .find((job) => job !== undefined)
}

/** Whether a request created a job, or names it. */
export function isAboutJob(request: RequestEntry, job: Job, store: Store): boolean {
  return request.id === job.cause || jobNamedIn(request, store) === job
}

/** The ids in a path, of jobs and of models. */
export function idsIn(path: string): string[] {
  return path.toLowerCase().match(ALL_IDS) ?? []
}

const ALL_IDS = new RegExp(UUID, 'g')
