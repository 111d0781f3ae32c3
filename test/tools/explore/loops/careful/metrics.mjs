// Trains two steps, and writes what each gradient step reports to a table. It stops if the loss is no number.
import { Api, mayPass } from './api.mjs'
import { batchFrom, JobFailed, nameOf, openModel, trainSteps } from './training.mjs'

const STEPS = 2
const MOST_IDLE_POLLS = 25
const MOST_FAILURES = 12

/** A training that goes wrong needs a person. */
class Diverged extends Error {}

/** A metric as a number, or undefined. It may be missing, a text or NaN. */
function numberIn(data, name) {
  const value = typeof data[name] === 'string' ? Number.parseFloat(data[name]) : data[name]
  return Number.isFinite(value) ? value : undefined
}

/** Reads the events page by page, and keeps the cursor itself. */
async function follow(api, job, table) {
  const seen = new Set()
  let cursor
  let failures = 0
  for (let idle = 0; idle < MOST_IDLE_POLLS; idle++) {
    const query = cursor === undefined ? '' : `&after=${cursor}`
    let page
    try {
      page = await api.get(`/preview/training-jobs/${job.id}/events?limit=3${query}`)
    } catch (error) {
      if (error.status === 404 && cursor !== undefined) {
        cursor = undefined
        continue
      }
      if (++failures > MOST_FAILURES || !mayPass(error)) throw error
      await api.pause(failures, error)
      continue
    }
    for (const { id, type, data } of page.data) {
      if (seen.has(id)) continue
      seen.add(id)
      idle = 0
      if (type === 'training_failed') throw new JobFailed(data.error_message)
      if (type === 'training_ended') return
      if (type === 'gradient_step') table.add(job.id, data)
    }
    cursor = page.last_id || cursor
    if (!page.has_more) await api.pause(idle)
  }
  throw new Error(`Job ${job.id} does not end.`)
}

class Table {
  rows = []
  #bad = 0

  add(job, data) {
    const loss = numberIn(data, 'loss')
    this.rows.push({ job, loss, norm: numberIn(data, 'grad_norm') })
    if (loss === undefined && ++this.#bad > 8)
      throw new Diverged(`The loss of ${job} is no number.`)
  }

  mean() {
    const losses = this.rows.flatMap(({ loss }) => (Number.isFinite(loss) ? [loss] : []))
    return losses.reduce((sum, loss) => sum + loss, 0) / Math.max(1, losses.length)
  }
}

export default async function main(service) {
  const api = new Api(service)
  const model = await openModel(api, 'adder')
  const table = new Table()
  const rewardOf = ({ length }) => 1 / (1 + length)
  const asked = { contents: ['Add 2 and 3.', 'Add 7 and 8.'], count: 3, rewardOf }
  await trainSteps(api, model, {
    steps: STEPS,
    gather: (policy) => batchFrom(api, nameOf(model, policy), asked),
    follow: (job) => follow(api, job, table),
    onStep() {
      if (!Number.isFinite(table.mean())) throw new Error('The mean of the loss is no number.')
    },
  })
}
