import { counted } from '../../base/text/counted.js'
import { countedSends, type Send } from '../../base/text/sends.js'
import type { Engine } from '../../service/engine/engine.js'
import type { Job } from '../../service/engine/jobs/job.js'
import type { DeliveryEntry, RequestEntry } from '../../service/engine/journal.js'
import { missingName, NAME_AGAIN } from '../../webhooks/sending/missing-webhooks.js'
import { deliveriesIn, isAcknowledged, outcomeText } from './deliveries.js'
import { formatRequest } from './format.js'
import { unappliedIn } from './unapplied.js'
import { stepsText, whyWaiting } from './waiting.js'
import { origin, type TestedWorld } from './world.js'
import { EmulatorError } from '../../base/text/emulator-error.js'

/** Something that is not finished at the end of a test. */
export interface Pending {
  /** The kind of thing that is pending. */
  readonly what: 'job' | 'fault' | 'delivery' | 'request'
  /** Names the job, fault, delivery or request. */
  readonly which: string
  /** Why it is pending, in words. */
  readonly why: string
}

/** Thrown when something is pending, with a table of it. Code `SVTRAIN_PENDING`. */
export class PendingError extends EmulatorError {
  override readonly name = 'PendingError'
  readonly code = 'SVTRAIN_PENDING'
  /** What is pending. */
  readonly pending: readonly Pending[]

  /** @internal */
  constructor(pending: readonly Pending[], world: TestedWorld) {
    super(pendingText(pending, world))
    this.pending = pending
  }
}

/** Formats what is pending as a table. The first line says how to reproduce it. */
export function pendingText(pending: readonly Pending[], world: TestedWorld): string {
  if (pending.length === 0) return `Nothing is pending (${origin(world)}).`
  const things = counted(pending.length, 'thing is', 'things are')
  return [`${things} pending (${origin(world)}):`, ...table(pending)].join('\n')
}

/**
 * Returns what is pending: jobs that have not ended, faults that were never hit, deliveries that no
 * receiver acknowledged, and requests that matched no operation, have no response yet or hang.
 */
export function pendingIn(world: TestedWorld): Pending[] {
  const { engine, journal, webhooks } = world
  const { entries } = journal
  // The journal of a restored world has no attempts from before.
  const before = webhooks.deliveries.filter(({ attemptsBefore }) => attemptsBefore > 0)
  const unfinished = before.filter(({ status }) => status !== 'delivered')
  const known = new Set(before.map(({ id }) => id))
  const missing = new Map(webhooks.missing.map((each) => [each.name, missingName(each)]))
  const since = deliveriesIn(entries).filter(([first]) => !known.has(first!.deliveryId))
  return [
    ...[...engine.store.jobs.values()]
      .filter(({ over }) => !over)
      .map((job) => pendingJob(engine, job)),
    ...unappliedIn(world).map(({ which, why }): Pending => {
      return { what: 'fault', which, why: `never hit: ${why}` }
    }),
    ...unfinished.map(({ id, event, ...rest }) => {
      const found = pendingDelivery({ ...rest, deliveryId: id, event: event.type })
      const name = missing.get(rest.webhook)
      return name === undefined
        ? found
        : { ...found, why: `${found.why}; no webhook ${name} is there: ${NAME_AGAIN}` }
    }),
    ...since
      .filter((attempts) => !attempts.some(isAcknowledged))
      .map((attempts) => pendingDelivery({ ...attempts[0]!, attempts })),
    ...entries.flatMap((entry) => {
      return entry.kind === 'request' ? pendingRequest(entry, journal.hanging.has(entry)) : []
    }),
  ]
}

function pendingJob(engine: Engine, job: Job): Pending {
  const { id, model, progress } = job
  const { status, stalled } = progress
  const state = `${stalled ? 'stalled' : status}, ${stepsText(job)}`
  const waits = stalled ? undefined : whyWaiting(engine, job)
  const why = waits === undefined ? state : `${state}: ${waits}`
  return { what: 'job', which: `${id.slice(0, 8)} (model ${model.name})`, why }
}

interface OpenDelivery extends Pick<DeliveryEntry, 'deliveryId' | 'event' | 'webhook'> {
  readonly attempts: readonly (Send & Pick<DeliveryEntry, 'status' | 'error'>)[]
}

function pendingDelivery({ deliveryId, event, webhook, attempts }: OpenDelivery): Pending {
  return {
    what: 'delivery',
    which: `${deliveryId.slice(0, 8)} (${event} to ${webhook})`,
    why: `not acknowledged after ${countedSends(attempts)}: ${outcomeText(attempts.at(-1)!)}`,
  }
}

function pendingRequest(request: RequestEntry, hangs: boolean): Pending[] {
  const { operation, status, lost, hint } = request
  const waits = hangs ? 'hangs until its client leaves' : 'has no answer yet'
  const why =
    operation === undefined ? `matched no operation${hint === undefined ? '' : `; ${hint}`}` : waits
  const answered = status !== undefined || lost !== undefined
  if (operation !== undefined && answered && !hangs) return []
  return [{ what: 'request', which: formatRequest(request), why }]
}

function table(pending: readonly Pending[]): string[] {
  const head = { what: 'what', which: 'which', why: 'why' }
  const rows = [head, ...pending]
  const width = (column: 'what' | 'which'): number =>
    Math.max(...rows.map((row) => row[column].length))
  const [first, second] = [width('what'), width('which')]
  return rows.map(({ what, which, why }) => {
    return `  ${what.padEnd(first)}  ${which.padEnd(second)}  ${why}`
  })
}
