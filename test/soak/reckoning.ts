import type { ControlJob } from '../../src/emulator/control/schemas/jobs.js'
import { illegalOrder } from './follow.js'
import type { Ledger } from './ledger.js'
import type { Receivers } from './receivers.js'
import { emptied, SEATS } from './scenarios.js'
import type { State } from './served-process.js'
import type { World } from './world.js'
import { jsonHeaders } from '../support/api-client.js'

interface Reckoned {
  readonly world: World
  readonly ledger: Ledger
  readonly receivers: Receivers
}

/** Settles a world after the load, and checks its jobs, deliveries, checkpoints and limits. */
export async function reckon(reckoned: Reckoned): Promise<void> {
  const { world, ledger, receivers } = reckoned
  const { control } = world
  receivers.recover()
  await control.useClock('auto')
  try {
    await control.settle({ within: '60s' })
  } catch (error) {
    ledger.find('rest', `the world does not settle: ${String(error)}`, 'the reckoning')
  }
  const jobs = await control.jobs.list()
  const known = new Map(jobs.map((job) => [job.id, job]))
  for (const [id, account] of ledger.accounts) {
    if (account.world !== world || account.generation !== world.generation) continue
    const job = known.get(id)
    if (!job) ledger.find('jobs', `job ${id} was accepted, and is not there`, account.by)
    else if (!account.mayStick && !mayWait(job, jobs)) {
      ledger.find('jobs', `job ${id} (${world.scenario}) stays ${job.status}`, account.by)
    }
  }
  for (const job of jobs.toReversed()) {
    // The jobs of a deleted model have all ended.
    const over = isOver(job) ? job : await control.jobs.finish(job.id).catch(() => job)
    if (!isOver(over)) ledger.find('jobs', `job ${job.id} cannot be finished`, 'the reckoning')
    await checkEvents(reckoned, over)
  }
  ledger.count('jobs checked event by event', jobs.length)
  ledger.accounts.clear()
  await control.settle({ within: '60s' }).catch(() => {})
  await checkDeliveries(reckoned)
  await checkCheckpoints(reckoned)
  await askAlone(reckoned)
}

function isOver({ status }: ControlJob): boolean {
  return status === 'ended' || status === 'failed'
}

/** Whether a job can be unfinished: it is stalled, or an earlier job of its model is unfinished. */
function mayWait(job: ControlJob, jobs: readonly ControlJob[]): boolean {
  if (isOver(job) || job.stalled) return true
  const { model, ordinal } = job
  return jobs.some((each) => {
    return each.model.id === model.id && each.ordinal < ordinal && !isOver(each)
  })
}

async function checkEvents({ world, ledger }: Reckoned, job: ControlJob): Promise<void> {
  const all: { id: string; type: string; index: number }[] = []
  for (let total = 1; all.length < total;) {
    const slice = await world.control.jobs.events(job.id, { from: all.length, limit: 1000 })
    all.push(...slice.events)
    total = slice.total
    if (slice.events.length === 0) break
  }
  const wrong = illegalOrder(all)
  if (wrong !== undefined) ledger.find('jobs', `job ${job.id}: ${wrong}`, 'the reckoning')
  const last = all.at(-1)?.type
  if (isOver(job) && last !== `training_${job.status}`) {
    ledger.find('jobs', `a job that has ${job.status} ends with ${last}`, 'the reckoning')
  }
  const account = ledger.accounts.get(job.id)
  if (account?.world !== world || account.generation !== world.generation) return
  const types = new Map(all.map(({ id, type }) => [id, type]))
  for (const [id, type] of account.seen) {
    if (types.get(id) === type) continue
    ledger.find('jobs', `${type} ${id} was shown, and then was ${types.get(id)}`, account.by)
  }
}

async function checkDeliveries({ world, ledger, receivers }: Reckoned): Promise<void> {
  const deliveries = await world.control.deliveries.list({ limit: 20_000 })
  for (const { id, webhook, state, attempts, verdict } of deliveries) {
    ledger.count(`deliveries ${state}`)
    if (state === 'pending') {
      const last = attempts.at(-1)?.error
      ledger.find('deliveries', `one to ${webhook} stays pending (${last})`, 'the reckoning')
    }
    if (webhook !== 'prompt') continue
    if (state === 'delivered' && !receivers.verified.has(id)) {
      ledger.find('deliveries', `${id} is delivered, and never came`, 'the reckoning')
    }
    if (attempts.length > 0 && verdict !== null && verdict !== 'valid') {
      ledger.find('deliveries', `${id} has the verdict ${verdict}`, 'the reckoning')
    }
  }
}

async function checkCheckpoints({ world, ledger }: Reckoned): Promise<void> {
  for (const { name, checkpoints } of await world.control.models.list()) {
    const steps = checkpoints.map(({ step }) => step)
    if (steps.some((step, index) => step <= (steps[index - 1] ?? -1))) {
      ledger.find('checkpoints', `${name} has steps ${steps.join()}`, 'the reckoning')
    }
  }
}

/** Checks that all slots of concurrency limits are free when there is no load. */
async function askAlone({ world, ledger }: Reckoned): Promise<void> {
  const { control, address } = world
  for (const { id, fault } of await control.faults.list()) {
    if (fault !== 'concurrency') await control.faults.close(id)
  }
  const headers = jsonHeaders(address.key)
  const models = await world.fetch(`${address.trainingUrl}/preview/base-models`, { headers })
  if (models.status === 429) {
    ledger.find('rest', 'a fault that limits requests at once still counts some', 'the reckoning')
  }
  await models.body?.cancel()
  await control.scenarios.use(emptied)
  const messages = [{ role: 'user', content: 'Hello?' }]
  const body = JSON.stringify({ model: 'example/base-8b-instruct', messages, max_tokens: 1 })
  for (let seat = 0; seat < SEATS; seat++) {
    await control.faults.clear()
    const url = `${address.inferenceUrl}/chat/completions`
    const { status } = await world.fetch(url, { method: 'POST', headers, body })
    if (status !== 200) ledger.find('rest', `a chat alone is answered ${status}`, 'the reckoning')
  }
}

/** Describes what is left over compared with the beginning. Undefined if nothing is. */
export function beyond(
  { resources, inFlight, deliveries, due }: State,
  base: State,
): string | undefined {
  const left = [
    inFlight > 0 && `${inFlight} requests in flight`,
    deliveries > 0 && `${deliveries} deliveries in flight`,
    due > 0 && `${due} things due`,
    ...Object.entries(resources).map(([name, count]) => {
      const more = count - (base.resources[name] ?? 0)
      return more > 0 && `${more} ${name}`
    }),
  ].filter((each) => each !== false)
  return left.length === 0 ? undefined : left.join(', ')
}
