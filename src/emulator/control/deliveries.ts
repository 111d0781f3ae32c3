import {
  deliveries,
  deliveryFilter,
  deliveryPath,
  oneDelivery,
  triggered,
  triggerRequest,
  type ControlDelivery,
} from './schemas/deliveries.js'
import { ApiError } from '../../service/contract/errors.js'
import type { Engine } from '../../service/engine/engine.js'
import { tamperedBy } from '../../webhooks/sending/adversary.js'
import type { Delivery } from '../../webhooks/sending/delivery.js'
import { formatEvent, type WebhookEvent } from '../../webhooks/sending/event.js'
import { assertEventType, type TriggerFacts } from '../../webhooks/sending/trigger.js'
import { eventTypes } from '../../service/scenario/event-types.js'
import { NotFoundError, type Webhooks } from '../../webhooks/sending/webhooks.js'
import type { Emulator } from '../emulator.js'
import { control } from './row.js'
import { partProblem, unknownWord } from './unknown-names.js'
import type { Infer } from '../../service/contract/pydantic/schema.js'
import type { RunState } from '../../service/scenario/run-states.js'
import type { Job } from '../../service/engine/jobs/job.js'
import { verify, type Verdict } from '../../webhooks/signature/verify.js'
import { toIso } from '../../base/text/iso.js'

const trigger = control({
  id: 'triggerEvent',
  method: 'POST',
  path: '/_emulator/trigger',
  summary: 'Makes an event happen for the automations, or for the webhook in `to`',
  refusals: [404],
  body: triggerRequest,
  response: triggered,
  async run({ emulator: { webhooks }, engine, body }) {
    const read = readTrigger(body, engine)
    assertEventType(read.event)
    const { job } = read
    const about = job === undefined ? '' : ` for job ${job.id.slice(0, 8)}`
    const cause = engine.journal.note(`control: ${read.event} triggered${about}`, job?.cause)
    const made = await webhooks.trigger(read.event, read.facts, { jobId: job?.id, cause })
    return { deliveries: made.map(({ id }) => id) }
  },
})

const listDeliveries = control({
  id: 'listDeliveries',
  method: 'GET',
  path: '/_emulator/deliveries',
  summary: 'The deliveries, oldest first, each with its attempts and signature verdict',
  query: deliveryFilter,
  response: deliveries,
  async run({ emulator: world, engine, query }) {
    const { webhooks } = world
    const { webhook, automation, event, state, job, limit } = query
    const wrong = filterProblem(query, webhooks)
    if (wrong) return wrong
    const jobs = jobIdsOfEntries(engine)
    const found = webhooks.deliveries.filter((delivery) => {
      if (webhook !== undefined && delivery.webhook !== webhook) return false
      if (automation !== undefined && delivery.automation !== automation) return false
      if (event !== undefined && delivery.event.type !== event.toUpperCase()) return false
      if (state !== undefined && delivery.status !== state) return false
      return job === undefined || jobIdOf(delivery, jobs) === job
    })
    return { deliveries: await deliveryStates(found.slice(-limit), world) }
  },
})

const readDelivery = control({
  id: 'readDelivery',
  method: 'GET',
  path: '/_emulator/deliveries/{delivery_id}',
  summary: 'One delivery, and why its signature is wrong if it is',
  params: deliveryPath,
  response: oneDelivery,
  run({ emulator: world, params: { delivery_id } }) {
    return diagnosedDelivery(world.webhooks.delivery(delivery_id)!, world)
  },
})

const resendDelivery = control({
  id: 'resendDelivery',
  method: 'POST',
  path: '/_emulator/deliveries/{delivery_id}/resend',
  summary: 'Sends a delivery again with the same id and bytes, and waits for the answer',
  refusals: [409],
  params: deliveryPath,
  response: oneDelivery,
  async run({ emulator: world, engine, params: { delivery_id } }) {
    const found = world.webhooks.delivery(delivery_id)!
    engine.journal.note(`control: delivery ${delivery_id} is sent once more`)
    try {
      await world.webhooks.resend(delivery_id)
    } catch (error) {
      // Its webhook or its world is gone.
      if (error instanceof NotFoundError) throw error
      return new ApiError(409, (error as Error).message)
    }
    return diagnosedDelivery(found, world)
  },
})

/** Refuses names that no delivery can have: they are probably typos. */
function filterProblem(
  named: Partial<Record<'webhook' | 'automation' | 'event', string>>,
  { parts, deliveries: all }: Webhooks,
): ApiError | undefined {
  const { event } = named
  if (event !== undefined && !eventTypes.some((type) => type === event.toUpperCase())) {
    return unknownWord('event', event, eventTypes)
  }
  for (const what of ['webhook', 'automation'] as const) {
    const name = named[what]
    // The deliveries of a removed webhook or automation still have its name.
    if (name === undefined || all.some((each) => each[what] === name)) continue
    const wrong = partProblem(what, name, parts[`${what}s` as const])
    if (wrong) return wrong
  }
  return undefined
}

async function diagnosedDelivery(delivery: Delivery, world: Emulator): Promise<ControlDelivery> {
  const [state] = await deliveryStates([delivery], world, { why: true })
  return state!
}

/** Deliveries as JSON. With `why`, also why their signatures are wrong if they are. */
export function deliveryStates(
  all: readonly Delivery[],
  { webhooks, engine }: Emulator,
  { why = false } = {},
): Promise<ControlDelivery[]> {
  const jobs = jobIdsOfEntries(engine)
  const states = all.map(async (delivery) => {
    const verdict = await verdictOf(webhooks, delivery, { why })
    return deliveryState(delivery, { engine, webhooks, jobs, verdict })
  })
  return Promise.all(states)
}

interface Triggering {
  event: string
  facts: TriggerFacts & { to?: string }
  /** The job that the event is about. */
  job: Job | undefined
}

/** The event to trigger and its facts. A job in the request provides their defaults. */
function readTrigger(
  { event, job_id, ...facts }: Infer<typeof triggerRequest>,
  engine: Engine,
): Triggering {
  const job = job_id === undefined ? undefined : engine.store.jobs.get(job_id)
  return { event: event.toUpperCase(), facts: { ...(job && factsOf(job)), ...facts }, job }
}

function factsOf({ model, progress: { status }, author }: Job): TriggerFacts {
  const { entity, project, name } = model
  return { entity, project, run: name, collection: name, state: STATE_OF_RUN[status], author }
}

/** The state of the run of a job. */
const STATE_OF_RUN = {
  queued: 'running',
  running: 'running',
  ended: 'finished',
  failed: 'failed',
} as const satisfies Readonly<Record<Job['progress']['status'], RunState>>

/** The result of a verification with the webhook's current secret. */
interface CurrentVerdict {
  readonly verdict: Verdict | null
  readonly diagnosis: string | null
}

interface DeliveryContext {
  engine: Engine
  webhooks: Webhooks
  jobs: ReadonlyMap<number | undefined, string>
  verdict: CurrentVerdict
}

/** A delivery as JSON, without the secrets of its webhook. */
function deliveryState(
  delivery: Delivery,
  { engine, webhooks, jobs, verdict }: DeliveryContext,
): ControlDelivery {
  const { id, automation, webhook, event, status, attempts } = delivery
  const jobId = jobIdOf(delivery, jobs)
  const redact = (text: string): string => webhooks.withoutSecrets(text)
  const { sent = delivery.body, headers = {} } = attempts.at(-1) ?? {}
  return {
    id,
    automation,
    webhook,
    event: event.type,
    text: redact(`${formatEvent(event)}${subjectOf(event, engine.store.jobs.get(jobId ?? ''))}`),
    state: status,
    created_at: toIso(event.at),
    job_id: jobId ?? null,
    attempts: attempts.map((attempt) => ({
      attempt: attempt.number,
      ...(attempt.copy !== undefined && { copy: attempt.copy }),
      at: toIso(attempt.at),
      status: attempt.status ?? null,
      took: attempt.took,
      error: attempt.error === undefined ? null : redact(attempt.error),
      response_excerpt: attempt.answer === undefined ? null : redact(attempt.answer),
    })),
    body: redact(new TextDecoder().decode(sent)),
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, redact(value)]),
    ),
    ...verdict,
  }
}

/** What an event is about. Jobs of one model have runs of the same name, so a run has the number of its job. */
function subjectOf({ run, artifact, alias }: WebhookEvent, job: Job | undefined): string {
  if (run) return ` · ${run.name}${job ? ` #${job.ordinal}` : ''}`
  if (!artifact) return ''
  // With an alias, the name of the version ends with it. The event says it already.
  const { collection, versionString } = artifact
  const isNamed = alias === undefined && versionString !== ''
  return ` · ${isNamed ? versionString.split('/').at(-1) : collection}`
}

/** Verifies the latest attempt. A delivery that was not sent yet has no verdict. */
async function verdictOf(
  webhooks: Webhooks,
  delivery: Delivery,
  { why }: { why: boolean },
): Promise<CurrentVerdict> {
  const last = delivery.attempts.at(-1)
  const rules = webhooks.rulesOf(delivery.webhook)
  if (!last || !rules) return { verdict: null, diagnosis: null }
  const delivered = { body: last.sent ?? delivery.body, headers: last.headers }
  const { verdict } = await verify(delivered, rules)
  if (verdict === 'valid') return { verdict, diagnosis: null }
  const purpose = tamperedBy(delivery.tampering)
  if (!why) return { verdict, diagnosis: purpose ?? null }
  const { diagnose } = await import('../../webhooks/signature/diagnose.js')
  const found = await diagnose(delivered, rules)
  return { verdict, diagnosis: [found?.text, purpose].filter(Boolean).join(' ') || null }
}

/** The job that caused a delivery. What an older version saved does not name it. */
function jobIdOf(
  { event }: Delivery,
  jobs: ReadonlyMap<number | undefined, string>,
): string | undefined {
  return event.jobId ?? jobs.get(event.cause)
}

/** The job ids of the journal entries that are about a job. */
function jobIdsOfEntries({ journal }: Engine): ReadonlyMap<number | undefined, string> {
  return new Map(
    journal.entries.flatMap((entry) => (entry.kind === 'job' ? [[entry.id, entry.jobId]] : [])),
  )
}

export const deliveryOperations = [trigger, listDeliveries, readDelivery, resendDelivery]
