import { counted, groupsOf } from '../../base/text/counted.js'
import { ApiError } from '../../service/contract/errors.js'
import { eventTypes } from '../../service/scenario/event-types.js'
import type { Delivery } from '../../webhooks/sending/delivery.js'
import { CutOffError } from '../../webhooks/sending/sender.js'
import type { Webhooks } from '../../webhooks/sending/webhooks.js'
import type { Emulator } from '../emulator.js'
import { deliveryCalled, jobCalled } from './called.js'
import { deliveryStates, jobFinder } from './delivery-state.js'
import { control } from './row.js'
import {
  deliveries,
  deliveryFilter,
  deliveryPath,
  oneDelivery,
  resendRequest,
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
  async run({ emulator: world, query }) {
    const job = jobCalled(world, query.job)
    const wrong = filterProblem(query, world.webhooks)
    if (wrong) return wrong
    const found = deliveriesWhere({ ...query, job: job?.id }, world)
    return { deliveries: await deliveryStates(found.slice(-query.limit), world) }
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
    return diagnosedDelivery(deliveryCalled(world, delivery_id), world)
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
    const found = deliveryCalled(world, delivery_id)
    engine.journal.note(`control: delivery ${found.id} is sent once more`)
    const refused = await sentAgain([found], world)
    return refused ?? diagnosedDelivery(found, world)
  },
})

const resendDeliveries = control({
  id: 'resendDeliveries',
  method: 'POST',
  path: '/_emulator/deliveries/resend',
  summary: 'Sends all failed deliveries again, or one of any state, and waits for the answers',
  refusals: [404, 409],
  body: resendRequest,
  response: deliveries,
  async run({ emulator: world, engine, body }) {
    const { delivery, ...filter } = body
    const only = delivery === undefined ? undefined : deliveryCalled(world, delivery)
    const job = jobCalled(world, body.job)
    const wrong = filterProblem(body, world.webhooks)
    if (wrong) return wrong
    const state = only ? undefined : 'failed'
    const found = deliveriesWhere({ ...filter, delivery: only?.id, job: job?.id, state }, world)
    if (found.length > 0) {
      const count = counted(found.length, 'delivery is', 'deliveries are')
      engine.journal.note(`control: ${count} sent once more`)
    }
    const refused = await sentAgain(found, world)
    return refused ?? { deliveries: await deliveryStates(found, world) }
  },
})

/** Sends deliveries again, the oldest of each webhook first. Returns a 409 if the world ends before all have an answer. */
async function sentAgain(
  found: readonly Delivery[],
  { webhooks }: Emulator,
): Promise<ApiError | undefined> {
  const groups = [...groupsOf(found, ({ webhook }) => webhook).values()].map(async (group) => {
    for (const { id } of group) await webhooks.resend(id)
  })
  // The other webhooks go on if one of them was removed.
  const failed = (await Promise.allSettled(groups)).find((each) => each.status === 'rejected')
  if (!failed) return undefined
  // Another scenario ends it, too, and the clock of the world goes on.
  if (!(failed.reason instanceof CutOffError)) throw failed.reason
  return new ApiError(409, failed.reason.message)
}

type Part = 'delivery' | 'webhook' | 'automation' | 'event' | 'state' | 'job'
type Filter = Partial<Record<Part, string | undefined>>

/** The deliveries that have all of these, oldest first. */
function deliveriesWhere(
  { delivery: id, webhook, automation, event, state, job }: Filter,
  { webhooks, engine }: Emulator,
): Delivery[] {
  const jobOf = job === undefined ? undefined : jobFinder(engine)
  return webhooks.deliveries.filter((each) => {
    if (id !== undefined && each.id !== id) return false
    if (webhook !== undefined && each.webhook !== webhook) return false
    if (automation !== undefined && each.automation !== automation) return false
    if (event !== undefined && each.event.type !== event.toUpperCase()) return false
    if (state !== undefined && each.status !== state) return false
    return jobOf?.(each) === job
  })
}

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

export const deliveryOperations = [listDeliveries, readDelivery, resendDelivery, resendDeliveries]
