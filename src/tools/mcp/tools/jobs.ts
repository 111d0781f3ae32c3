import type { Call } from '../../../emulator/control/client/call.js'
import {
  failRequest,
  jobFilter,
  jobRequest,
  type ControlJob,
} from '../../../emulator/control/schemas.js'
import { counted } from '../../../base/text/counted.js'
import { didYouMean } from '../../../base/text/nearest.js'
import { cut, linesText, paged } from '../paged.js'
import { ADDS, ENDS, jobField, pageField, READS, tool, ToolError, withWords } from '../tool.js'

const createJob = tool({
  name: 'create_job',
  title: 'Create job',
  description:
    'Submits a training job, as a client of the service does. Creates the model if it does not exist. The scenario decides how the job goes, unless you pass a timeline.',
  input: {
    model: withWords(jobRequest.fields.model, 'The name or id of the model. Default: demo-model.'),
    kind: jobRequest.fields.kind,
    trajectories: jobRequest.fields.trajectories,
    timeline: withWords(
      jobRequest.fields.timeline,
      'What happens to the job, as `timeline` of a scenario. read_docs "jobs" explains it.',
    ),
  },
  annotations: ADDS,
  async run({ model, kind, trajectories, timeline }, { call }) {
    const job = await call('POST /jobs', { body: { model, kind, trajectories, timeline } })
    const { status, error_message: why } = job
    const next = status === 'failed' ? ` It failed: ${why ?? 'no reason'}` : ''
    return `Created job ${job.id} of model "${job.model.name}". Its status is ${status}.${next}\nread_job says how it goes. settle runs it to its end.`
  },
})

const listJobs = tool({
  name: 'list_jobs',
  title: 'List jobs',
  description: 'Lists the jobs, newest first, each with its state and why it failed.',
  input: {
    model: jobFilter.fields.model,
    status: withWords(
      jobFilter.fields.status,
      'Lists only jobs in this state. A job that has succeeded is ended.',
    ),
    page: pageField,
  },
  annotations: READS,
  async run({ model, status, page }, { call }) {
    const { jobs } = await call('GET /jobs', { query: { model, status } })
    return paged(jobs.map(jobLine), { page, none: 'There are no such jobs. create_job makes one.' })
  },
})

function jobLine({ id, kind, model, status, stalled, ...job }: ControlJob): string {
  const state = stalled ? `${status} (stalled)` : status
  const why = job.error_message === null ? '' : `: ${job.error_message}`
  return `${id} ${kind} "${model.name}" step ${job.step} of ${job.steps}, ${state}${why}`
}

const EVENTS_OF_PAGE = 20

const readJob = tool({
  name: 'read_job',
  title: 'Read job',
  description:
    'Returns one job: its state, why it failed, and its events. Page 1 has the latest events.',
  input: { job: jobField, page: pageField },
  annotations: READS,
  async run({ job: which, page }, { call }) {
    const job = await findJob(call, which)
    const to = Math.max(0, job.events - (page - 1) * EVENTS_OF_PAGE)
    const pages = Math.max(1, Math.ceil(job.events / EVENTS_OF_PAGE))
    if (page > pages) {
      throw new ToolError(`There is no page ${page}. The job has ${counted(pages, 'page')}.`)
    }
    const from = Math.max(0, to - EVENTS_OF_PAGE)
    const { events } = await call('GET /jobs/{job_id}/events', {
      params: { job_id: job.id },
      query: { from, limit: Math.max(1, to - from) },
    })
    const more = page < pages ? `Older events: call again with page ${page + 1}.` : ''
    const lines = events.map(({ index, at, type, data }) => {
      return `  ${index} ${at} ${type}${dataText(data)}`
    })
    const shown = `Events ${from} to ${Math.max(0, to - 1)} of ${job.events}:`
    const text = [...jobText(job), job.events === 0 ? 'No events yet.' : shown, ...lines, more]
    return linesText(text)
  },
})

function dataText(data: Readonly<Record<string, unknown>>): string {
  // The loss says most about a step, and a line may be cut.
  const { loss, ...others } = data
  const text = JSON.stringify(loss === undefined ? others : { loss, ...others })
  return text === '{}' ? '' : ` ${cut(text, 90)}`
}

const OUTCOMES: Readonly<Record<ControlJob['status'], string>> = {
  queued: 'It waits to start',
  running: 'It runs',
  ended: 'It succeeded',
  failed: 'It failed',
}

function jobText(job: ControlJob): string[] {
  const { id, kind, model, status, stalled, step, steps, request_id: request } = job
  const { created_at: created, training_start: start, training_end: end } = job
  const why = job.error_message === null ? [] : [`Why: ${cut(job.error_message, 600)}`]
  const times = [`created ${created}`, start && `started ${start}`, end && `over ${end}`]
  return [
    `Job ${id} (${kind}) of model "${model.name}".`,
    `Status: ${status}. ${OUTCOMES[status]}${stalled ? ', and is stalled' : ''}, at step ${step} of ${steps}.`,
    ...why,
    `Times: ${times.filter(Boolean).join(', ')}.`,
    ...(request === null ? [] : [`Request ${request} created it: read_request shows it.`]),
    ...(status === 'failed' ? ['read_trace with this job shows what led to it.'] : []),
  ]
}

const failJob = tool({
  name: 'fail_job',
  title: 'Fail job',
  description: 'Ends a job now, as a failure. A job that is over cannot fail.',
  input: { job: jobField, ...failRequest.fields },
  annotations: ENDS,
  async run({ job: which, error_message }, { call }) {
    const { id } = await findJob(call, which)
    const params = { job_id: id }
    const job = await call('POST /jobs/{job_id}/fail', { params, body: { error_message } })
    return linesText(jobText(job))
  },
})

const finishJob = tool({
  name: 'finish_job',
  title: 'Finish job',
  description: 'Ends a job now, with success, and adds its checkpoint.',
  input: { job: jobField },
  annotations: ENDS,
  async run({ job: which }, { call }) {
    const { id } = await findJob(call, which)
    const job = await call('POST /jobs/{job_id}/finish', { params: { job_id: id } })
    return linesText(jobText(job))
  },
})

/**
 * Returns the job with that id, or the only one whose id begins like that. Default: the newest job.
 *
 * @throws {ToolError} When there is no such job.
 */
export async function findJob(call: Call, which: string | undefined): Promise<ControlJob> {
  const limit = which === undefined ? 1 : undefined
  const { jobs } = await call('GET /jobs', { query: { limit } })
  const [newest] = jobs
  if (!newest) throw new ToolError('There is no job yet. create_job makes one.')
  if (which === undefined) return newest
  const written = which.toLowerCase()
  const found = jobs.filter(({ id }) => id === written)
  const begun = found.length > 0 ? found : jobs.filter(({ id }) => id.startsWith(written))
  if (begun.length === 1 && written !== '') return begun[0]!
  if (begun.length > 1) {
    throw new ToolError(`job: ${begun.length} jobs have an id that begins with "${which}".`)
  }
  const hint = didYouMean(
    written,
    jobs.map(({ id }) => id),
  )
  throw new ToolError(`job: no job has the id "${cut(which, 80)}".${hint} list_jobs lists them.`)
}

export const jobTools = [createJob, listJobs, readJob, failJob, finishJob]
