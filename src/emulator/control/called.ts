import { shortened } from '../../base/text/shortened.js'
import type { LiveFault } from '../../service/engine/faults/live-fault.js'
import type { Job } from '../../service/engine/jobs/job.js'
import type { Delivery } from '../../webhooks/sending/delivery.js'
import { NotFoundError } from '../../webhooks/sending/webhooks.js'
import type { Emulator } from '../emulator.js'
import { notFound } from '../find-named.js'

/** How much of an id and of a list of ids an error shows. */
const LONGEST = 80
const LONGEST_LIST = 400

/**
 * The job with an id, of which a call may send the beginning alone, as the emulator prints it. Undefined: the call names
 * none.
 *
 * @throws {NotFoundError} When no job has it, or several begin like it.
 */
export function jobCalled(emulator: Emulator, id: string): Job
export function jobCalled(emulator: Emulator, id: string | undefined): Job | undefined
export function jobCalled({ engine }: Emulator, id: string | undefined): Job | undefined {
  if (id === undefined) return undefined
  const { jobs } = engine.store
  // A page asks for a job often, and there may be thousands.
  return jobs.get(id.toLowerCase()) ?? called('job', id, [...jobs.values()])
}

/** The same for a delivery. */
export function deliveryCalled({ webhooks }: Emulator, id: string): Delivery {
  return called('delivery', id, webhooks.deliveries)
}

/** The same for a fault. */
export function faultCalled({ engine }: Emulator, id: string): LiveFault {
  return called('fault', id, engine.faults.all)
}

function called<Thing extends { readonly id: string }>(
  kind: 'job' | 'delivery' | 'fault',
  written: string,
  things: readonly Thing[],
): Thing {
  const begin = written.toLowerCase()
  const whole = things.find(({ id }) => id === begin)
  if (whole) return whole
  const begun = begin === '' ? [] : things.filter(({ id }) => id.startsWith(begin))
  const [found, ...others] = begun
  const shown = shortened(written, LONGEST)
  if (!found) {
    const isCheckpoint = kind === 'job' && /[:@/]/.test(written)
    const what = isCheckpoint
      ? `checkpoints have trace --lineage --checkpoint: there is no job`
      : `there is no ${kind}`
    const ids = things.map(({ id }) => id)
    throw notFound(what, shown, ids, 'there is none yet')
  }
  if (others.length === 0) return found
  const named = shortened(begun.map(({ id }) => id).join(', '), LONGEST_LIST)
  throw new NotFoundError(
    `Not found: ${begun.length} ids of the kind ${kind} begin with "${shown}": ${named}. Write more of the id.`,
  )
}
