import { ApiError } from '../../service/contract/errors.js'
import type { Schema } from '../../service/contract/pydantic/schema.js'
import type { Engine } from '../../service/engine/engine.js'
import type { Job } from '../../service/engine/jobs/job.js'
import type { ModelState } from '../../service/engine/model.js'
import type { Emulator } from '../emulator.js'
import { whyWaiting } from '../testing/waiting.js'
import { jobCalled } from './called.js'
import { jobState } from './job-state.js'
import { control } from './row.js'
import type { Accepts } from './schemas/body-and-query.js'
import { failRequest, job, jobPath } from './schemas/jobs.js'

interface Act<Id, Verb, Body, SentBody> {
  id: Id
  verb: Verb
  summary: string
  /** Default: the row takes no body. */
  body?: Schema<Body> & Accepts<SentBody>
  /** Returns why the action is not possible now; undefined if it is. */
  hindrance?: (job: Job, engine: Engine) => string | undefined
  perform: (emulator: Emulator, on: { model: ModelState; job: Job; body: Body }) => void
}

function actRow<const Id extends string, const Verb extends string, Body, SentBody>({
  id,
  verb,
  summary,
  body: schema,
  hindrance,
  perform,
}: Act<Id, Verb, Body, SentBody>) {
  return control({
    id,
    method: 'POST',
    path: `/_emulator/jobs/{job_id}/${verb}` as const,
    summary,
    refusals: [409],
    params: jobPath,
    ...(schema && { body: schema }),
    response: job,
    run({ emulator, engine, params, body }) {
      const found = jobCalled(emulator, params.job_id)
      const model = engine.store.model(found.model.id)
      const hindered = found.over ? `has ${found.progress.status}` : hindrance?.(found, engine)
      const why = model ? hindered : 'has no model any more'
      if (why !== undefined || !model) {
        return new ApiError(409, `Failed to ${verb} job ${found.id}: it ${why}.`)
      }
      engine.journal.note(`control: ${verb} job ${found.id.slice(0, 8)}`, found.cause)
      perform(emulator, { model, job: found, body })
      return jobState(found, engine)
    },
  })
}

/** What a user makes a job do. */
export const jobActs = [
  actRow({
    id: 'failJob',
    verb: 'fail',
    summary: 'Ends a job now as a failure, with your message',
    body: failRequest,
    perform: ({ jobs: all }, { job: { id }, body }) => all.fail(id, body.error_message),
  }),
  actRow({
    id: 'finishJob',
    verb: 'finish',
    summary: 'Ends a job now with success: its remaining steps happen at once',
    perform: ({ jobs: all }, { job: { id } }) => all.finish(id),
  }),
  actRow({
    id: 'stallJob',
    verb: 'stall',
    summary: 'Stops a job until you resume it',
    hindrance: ({ progress }) => (progress.stalled ? 'is stalled already' : undefined),
    perform: ({ engine }, { job: found }) => engine.training.stall(found),
  }),
  actRow({
    id: 'resumeJob',
    verb: 'resume',
    summary: 'Continues a stalled job from where it stopped',
    hindrance(found, engine) {
      if (found.progress.stalled) return undefined
      return ['is not stalled', whyWaiting(engine, found)].filter(Boolean).join(', and ')
    },
    perform: ({ engine }, { model, job: found }) => engine.training.resume(model, found),
  }),
]
