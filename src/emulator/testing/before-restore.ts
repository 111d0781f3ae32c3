import { printable } from '../../base/text/escape.js'
import { countsOf } from '../../base/text/counted.js'
import type { Job } from '../../service/engine/jobs/job.js'
import { missingWebhooksText } from '../../webhooks/sending/missing-webhooks.js'
import { deliveriesFailedBefore } from './failed-deliveries.js'
import { subjectOf } from './format.js'
import type { TestedWorld } from './world.js'

type RestoredWorld = Pick<TestedWorld, 'engine' | 'journal' | 'webhooks'>

/** What stands in the place of a time: the journal has none from before. */
export const BEFORE = 'before'

/** What neither the trace nor the client checks of a restored world can know. */
export const BEFORE_RESTORE = 'what happened before the world was restored'

/** Says so at the beginning of a trace, and which webhooks the world lacks since. */
export function restoreLines({ webhooks }: RestoredWorld): string[] {
  const lacking = missingWebhooksText(webhooks.missing)
  return [
    `Not in this trace: ${BEFORE_RESTORE}.`,
    ...(lacking === undefined ? [] : [printable(lacking)]),
  ]
}

/** Whether a world comes from a snapshot or a data folder. Then its journal begins with that. */
export function wasRestored({ engine, webhooks }: RestoredWorld): boolean {
  return (
    engine.resumed ||
    [...engine.store.jobs.values()].some(({ isRestored }) => isRestored) ||
    webhooks.deliveries.some(({ attemptsBefore }) => attemptsBefore > 0)
  )
}

/**
 * Says what failed before a world was restored, from its state: jobs, and then deliveries. Equal texts are one.
 *
 * @param only - Selects what is about this job.
 */
export function failedBefore(world: RestoredWorld, only?: Job): string[] {
  const jobs = only ? [only] : [...world.engine.store.jobs.values()]
  const failed = jobs.filter(({ overBefore, progress }) => {
    return overBefore && progress.status === 'failed'
  })
  const texts = [
    ...failed.map(({ id, model, progress: { errorMessage = '' } }) => {
      const subject = subjectOf({ modelName: model.name, jobId: id })
      return world.journal.redactor.redact(`${subject} failed: ${errorMessage}`)
    }),
    ...deliveriesFailedBefore(world, only),
  ]
  return Array.from(countsOf(texts.map(printable)), ([text, count]) => {
    return count === 1 ? text : `${text} (${count} times)`
  })
}
