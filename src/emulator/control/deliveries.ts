import { ApiError } from '../../service/contract/errors.js'
import { eventTypes } from '../../service/scenario/event-types.js'
import type { Delivery } from '../../webhooks/sending/delivery.js'
import { CutOffError } from '../../webhooks/sending/sender.js'
import type { Webhooks } from '../../webhooks/sending/webhooks.js'
import type { Emulator } from '../emulator.js'
import { deliveryStates, jobFinder } from './delivery-state.js'
import { control } from './row.js'
import {
  deliveries,
  deliveryFilter,
  deliveryPath,
  oneDelivery,
  type ControlDelivery,
} from './schemas/deliveries.js'
import { partProblem, unknownWord } from './unknown-names.js'

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
    const jobOf = jobFinder(engine)
    const found = webhooks.deliveries.filter((delivery) => {
      if (webhook !== undefined && delivery.webhook !== webhook) return false
      if (automation !== undefined && delivery.automation !== automation) return false
      if (event !== undefined && delivery.event.type !== event.toUpperCase()) return false
      if (state !== undefined && delivery.status !== state) return false
      return job === undefined || jobOf(delivery) === job
    })
    return { deliveries: await deliveryStates(found.slice(-limit), world, { jobOf }) }
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
      // Another scenario ends it, too, and the clock of the world goes on.
      if (!(error instanceof CutOffError)) throw error
      return new ApiError(409, error.message)
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

export const deliveryOperations = [listDeliveries, readDelivery, resendDelivery]
