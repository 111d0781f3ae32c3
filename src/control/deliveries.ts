import {
  deliveries,
  deliveryFilter,
  deliveryPath,
  oneDelivery,
  triggered,
  triggerRequest,
} from './schemas.js'
import { ApiError, apiErrors } from '../contract/errors.js'
import type { Engine } from '../engine/engine.js'
import type { Delivery } from '../webhooks/delivery.js'
import { eventTypes } from '../webhooks/trigger.js'
import { NotFoundError, type Webhooks } from '../webhooks/webhooks.js'
import type { Emulator } from '../emulator/emulator.js'
import { deliveryState, jobsByEntry, verdictOf } from './delivery-state.js'
import { jobProblem } from './requests-where.js'
import { control } from './row.js'
import { readTrigger } from './trigger-facts.js'
import { partProblem, unknownWord } from './unknown-name.js'

const trigger = control({
  id: 'triggerEvent',
  method: 'POST',
  path: '/_emulator/trigger',
  summary: 'Makes an event happen for the automations, or for the webhook in `to`',
  body: triggerRequest,
  response: triggered,
  async run({ emulator: { webhooks }, engine, body }) {
    const read = readTrigger(body, engine)
    if (read instanceof ApiError) return read
    const made = await webhooks.trigger(read.event, read.facts)
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
  async run({ emulator: { webhooks }, engine, query }) {
    const { webhook, automation, event, state, job, limit } = query
    const wrong = filterProblem(query, { webhooks, engine })
    if (wrong) return wrong
    const jobs = jobsByEntry(engine)
    const found = webhooks.deliveries.filter((delivery) => {
      if (webhook !== undefined && delivery.webhook !== webhook) return false
      if (automation !== undefined && delivery.automation !== automation) return false
      if (event !== undefined && delivery.event.type !== event.toUpperCase()) return false
      if (state !== undefined && delivery.status !== state) return false
      return job === undefined || jobs.get(delivery.event.cause) === job
    })
    const shown = found.slice(-limit).map(async (delivery) => {
      const verdict = await verdictOf(webhooks, delivery)
      return deliveryState(delivery, { webhooks, jobs, verdict })
    })
    return { deliveries: await Promise.all(shown) }
  },
})

const readDelivery = control({
  id: 'readDelivery',
  method: 'GET',
  path: '/_emulator/deliveries/{delivery_id}',
  summary: 'One delivery, and why its signature is wrong if it is',
  params: deliveryPath,
  response: oneDelivery,
  run({ emulator: world, engine, params: { delivery_id } }) {
    const found = world.webhooks.delivery(delivery_id)
    return found ? shownWhole(found, world, engine) : notFound(world, delivery_id)
  },
})

const resendDelivery = control({
  id: 'resendDelivery',
  method: 'POST',
  path: '/_emulator/deliveries/{delivery_id}/resend',
  summary: 'Sends a delivery again with the same id and bytes, and waits for the answer',
  params: deliveryPath,
  response: oneDelivery,
  async run({ emulator: world, engine, params: { delivery_id } }) {
    const found = world.webhooks.delivery(delivery_id)
    if (!found) return notFound(world, delivery_id)
    engine.journal.note(`control: delivery ${delivery_id} is sent once more`)
    try {
      await world.webhooks.resend(delivery_id)
    } catch (error) {
      // Its webhook is gone, or the world is.
      if (error instanceof NotFoundError) throw error
      return new ApiError(409, (error as Error).message)
    }
    return shownWhole(found, world, engine)
  },
})

interface NamedInFilter {
  webhook?: string
  automation?: string
  event?: string
  job?: string
}

/** Refuses names that no delivery can have, which are most likely typos. */
function filterProblem(
  { webhook, automation, event, job }: NamedInFilter,
  { webhooks, engine }: { webhooks: Webhooks; engine: Engine },
): ApiError | undefined {
  if (event !== undefined && !eventTypes.some((type) => type === event.toUpperCase())) {
    return unknownWord('event', event, eventTypes)
  }
  const { parts, deliveries: all } = webhooks
  // A webhook or an automation that was removed is still known by its deliveries.
  if (webhook !== undefined && !all.some((each) => each.webhook === webhook)) {
    const wrong = partProblem('webhook', webhook, parts.webhooks)
    if (wrong) return wrong
  }
  if (automation !== undefined && !all.some((each) => each.automation === automation)) {
    const wrong = partProblem('automation', automation, parts.automations)
    if (wrong) return wrong
  }
  return job === undefined ? undefined : jobProblem(engine, job)
}

async function shownWhole(delivery: Delivery, { webhooks }: Emulator, engine: Engine) {
  const verdict = await verdictOf(webhooks, delivery, { why: true })
  return deliveryState(delivery, { webhooks, jobs: jobsByEntry(engine), verdict })
}

function notFound({ webhooks }: Emulator, id: string): ApiError {
  const known = webhooks.deliveries.length
  return apiErrors.deliveryNotFound(id, known)
}

export const deliveryOperations = [trigger, listDeliveries, readDelivery, resendDelivery]
