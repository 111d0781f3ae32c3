import type { ControlEvents, ControlJob, Series } from '../schemas/jobs.js'
import type { BodyOf, Call, QueryOf } from './call.js'

/** What `jobs.create` accepts. */
export type JobWanted = BodyOf<'POST /jobs'>
/** Which jobs `jobs.list` returns. */
export type JobsWhere = QueryOf<'GET /jobs'>

/** The methods of a client for jobs. */
export const jobsMethods = (call: Call) => ({
  jobs: {
    /** Returns the jobs, newest first. */
    list: async (where: JobsWhere = {}): Promise<ControlJob[]> =>
      (await call('GET /jobs', { query: where })).jobs,
    /** Returns one job. Refused with 404 if no job has that id. */
    get: (id: string): Promise<ControlJob> => call('GET /jobs/{job_id}', { params: job(id) }),
    /**
     * Creates a job, as a request does, and its model if it does not exist.
     *
     * @example
     * const { id } = await client.jobs.create({ model: 'poet' })
     */
    create: (wanted: JobWanted = {}): Promise<ControlJob> => call('POST /jobs', { body: wanted }),
    /** Ends a job now, as a failure. Refused with 409 if it is over. */
    fail: (id: string, errorMessage?: string): Promise<ControlJob> =>
      call('POST /jobs/{job_id}/fail', {
        params: job(id),
        body: { error_message: errorMessage },
      }),
    /** Ends a job now, with success. Refused with 409 if it is over. */
    finish: (id: string): Promise<ControlJob> =>
      call('POST /jobs/{job_id}/finish', { params: job(id) }),
    /** Stops a job until it is resumed. */
    stall: (id: string): Promise<ControlJob> =>
      call('POST /jobs/{job_id}/stall', { params: job(id) }),
    /** Continues a stalled job. */
    resume: (id: string): Promise<ControlJob> =>
      call('POST /jobs/{job_id}/resume', { params: job(id) }),
    /** Returns a slice of a job's events. A negative `from` counts from the end. */
    events: (
      id: string,
      slice: QueryOf<'GET /jobs/{job_id}/events'> = {},
    ): Promise<ControlEvents> =>
      call('GET /jobs/{job_id}/events', { params: job(id), query: slice }),
    /** Returns the metrics of a job's gradient steps as columns. */
    metrics: (id: string, options: QueryOf<'GET /jobs/{job_id}/metrics'> = {}): Promise<Series> =>
      call('GET /jobs/{job_id}/metrics', { params: job(id), query: options }),
  },
})

function job(id: string): { job_id: string } {
  return { job_id: id }
}
