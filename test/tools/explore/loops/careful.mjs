// Trains a small model for three steps: rollouts, rewards, a job, its events, the next checkpoint.
//
//   SVTRAIN_BASE_URL=… SVTRAIN_INFERENCE_URL=… SVTRAIN_API_KEY=… node careful.mjs
//
// With SVTRAIN_WEBHOOK_PORT it also receives webhooks there, at /hook. SVTRAIN_WEBHOOK_SECRET verifies them.
import assert from 'node:assert/strict'
import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const { SVTRAIN_BASE_URL, SVTRAIN_INFERENCE_URL, SVTRAIN_API_KEY } = process.env
const { SVTRAIN_WEBHOOK_PORT, SVTRAIN_WEBHOOK_SECRET } = process.env

const STEPS = 3
const PROMPTS = ['Write a line about the sea.', 'Write a line about the moon.']
const ROLLOUTS = 2
const ATTEMPTS_PER_STEP = 5
/** How often it asks again in place of answers that cannot train. */
const MORE_TRIES = 10

/** Milliseconds. */
const CALL_TIMEOUT = 1000
const CALL_LIMIT = 4000
const JOB_LIMIT = 20_000
/** An emulator can skip the time of Retry-After, so waits are short at first, and longer if that does not help. */
const FIRST_WAIT = 25
const LONGEST_WAIT = 300
/** How often it polls a job without anything new. */
const IDLE_POLLS = 25

/** The loop cannot go on, and says why. */
class Stop extends Error {}

/** The answer of a call that was refused, or that never came. */
class CallFailed extends Error {
  constructor(what, { status, body, cause } = {}) {
    const said = body?.detail ?? body?.error?.message ?? cause?.message ?? 'no reason'
    super(
      `${what}: ${status ?? 'no answer'}, ${typeof said === 'string' ? said : JSON.stringify(said)}`,
    )
    this.status = status
    this.isOfTheService = body?.detail !== undefined || body?.error?.message !== undefined
  }
}

// Calls

async function callOnce(url, { method = 'GET', body, what }) {
  let response
  let text
  try {
    response = await fetch(url, {
      method,
      headers: { authorization: `Bearer ${SVTRAIN_API_KEY}`, 'content-type': 'application/json' },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(CALL_TIMEOUT),
    })
    text = await response.text()
  } catch (cause) {
    throw new CallFailed(what, { cause: cause.cause ?? cause })
  }
  const { status } = response
  const read = parse(text)
  if (response.ok && read !== undefined) return read
  const failed = new CallFailed(
    what,
    response.ok ? { cause: new Error('the answer is unreadable') } : { status, body: read },
  )
  failed.retryAfter = Number(response.headers.get('retry-after') ?? 0) * 1000
  if (status === 401 || status === 403) throw new Stop(`The API key is refused. ${failed.message}`)
  throw failed
}

/** Metrics can be NaN or Infinity, which JSON.parse refuses. */
function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    try {
      return JSON.parse(text.replace(/([:[,]\s*)(?:NaN|-?Infinity)\b/g, '$1null'))
    } catch {
      return undefined
    }
  }
}

/** Whether the same call may work later, and did nothing this time or may be repeated. */
function mayPass({ status, isOfTheService }) {
  if (status === undefined || status >= 500) return true
  if (status === 402 || status === 404 || status === 408 || status === 429) return true
  return status === 400 && !isOfTheService
}

/** Repeats a call that has no effect, or the same effect each time. */
async function call(url, options) {
  const start = Date.now()
  for (let attempt = 1; ; attempt++) {
    try {
      return await callOnce(url, options)
    } catch (error) {
      const passes = error instanceof CallFailed && (options.mayPass ?? mayPass)(error)
      if (!passes || attempt === 12 || Date.now() - start > CALL_LIMIT) throw error
      await sleep(waitBefore(attempt, error))
    }
  }
}

function waitBefore(attempt, { retryAfter }) {
  if (retryAfter > 0) return retryAfter
  return Math.min(FIRST_WAIT * 2 ** (attempt - 1), LONGEST_WAIT)
}

const training = (path, options) => call(SVTRAIN_BASE_URL + path, { what: path, ...options })

// Webhooks

/** The ledger has one line for each step, however often a webhook says that the step exists. */
const ledger = []
const promote = (step, by) => {
  if (!ledger.some((line) => line.step === step)) ledger.push({ step, by })
}

let deliveries = 0

async function receiveWebhooks() {
  const server = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const bytes = Buffer.concat(chunks)
    deliveries++
    if (!isSigned(bytes, request.headers['x-service-signature']))
      return response.writeHead(401).end()
    const event = parse(bytes.toString())
    if (event === undefined) return response.writeHead(400).end()
    response.writeHead(200).end()
    const [, step] = /^step(\d+)$/.exec(event.alias ?? '') ?? []
    if (step !== undefined) promote(Number(step), 'webhook')
    const state = event.run_state ?? event.state
    if (state) console.log(`The run ${event.run_name ?? event.run} is ${state}`)
  })
  server.listen(Number(SVTRAIN_WEBHOOK_PORT), '127.0.0.1')
  await once(server, 'listening')
  return server
}

function isSigned(bytes, signature = '') {
  if (!SVTRAIN_WEBHOOK_SECRET) return true
  const expected = Buffer.from(
    createHmac('sha256', SVTRAIN_WEBHOOK_SECRET).update(bytes).digest('hex'),
  )
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

/** Waits until the last deliveries have arrived. */
async function untilQuiet() {
  for (let before = -1; before !== deliveries;) {
    before = deliveries
    await sleep(200)
  }
}

// Lists

/** Reads a list page by page. Pages may overlap, repeat, be empty, or forget the cursor. */
class List {
  items = []
  #path
  #places = new Map()
  #place = -1
  #limit

  constructor(path, limit) {
    this.#path = path
    this.#limit = limit
  }

  /** Reads what is new since the last time. */
  async more() {
    const fresh = []
    for (let pages = 0; pages < 50; pages++) {
      const page = await this.#page(Math.min(this.#limit * 2 ** pages, 100))
      for (const item of page.data) {
        if (this.#places.has(item.id)) continue
        this.#places.set(item.id, this.items.length)
        this.items.push(item)
        fresh.push(item)
      }
      // The cursor never moves back: a page that starts again at the top does not take it there.
      if (page.data.length > 0)
        this.#place = Math.max(this.#place, this.#places.get(page.data.at(-1).id))
      if (!page.has_more) return fresh
      if (fresh.some(isLast)) return fresh
    }
    return fresh
  }

  async #page(limit) {
    const cursor = this.items[this.#place]?.id
    const query = cursor === undefined ? '' : `&after=${cursor}`
    try {
      return await training(`${this.#path}?limit=${limit}${query}`, {
        mayPass: (error) => mayPass(error) && !(error.status === 404 && cursor !== undefined),
      })
    } catch (error) {
      if (error.status !== 404 || cursor === undefined) throw error
      // The service does not know the cursor any more. Read from the top; what was read before is skipped.
      this.#place = -1
      return { data: [], has_more: true }
    }
  }
}

const isLast = ({ type }) => type === 'training_ended' || type === 'training_failed'

async function newestStep(model) {
  const checkpoints = new List(`/preview/models/${model.id}/checkpoints`, 100)
  await checkpoints.more()
  return Math.max(0, ...checkpoints.items.map(({ step }) => step))
}

// Rollouts

class NotServed extends Error {}

const nameOf = (model, step) =>
  `artifact:///${model.entity}/${model.project}/${model.name}:step${step}`

async function chat(model, step, prompt) {
  try {
    return await call(`${SVTRAIN_INFERENCE_URL}/chat/completions`, {
      method: 'POST',
      what: `chat with step ${step}`,
      mayPass: (error) => mayPass(error) && error.status !== 404,
      body: {
        model: nameOf(model, step),
        messages: [{ role: 'user', content: prompt }],
        max_tokens: 200,
        logprobs: true,
        return_token_ids: true,
      },
    })
  } catch (error) {
    if (error.status === 402) throw new Stop(`The account cannot pay. ${error.message}`)
    if (error.status === 404) throw new NotServed(error.message)
    throw error
  }
}

/** Waits until a checkpoint answers chats. Returns false if it does not in time. */
async function becomesServed(model, step) {
  for (let attempt = 1; attempt <= 8; attempt++) {
    try {
      await chat(model, step, 'Are you there?')
      return true
    } catch (error) {
      if (!(error instanceof NotServed)) throw error
      await sleep(waitBefore(attempt, {}))
    }
  }
  return false
}

/** Without a log probability for each token, a choice cannot train. The reward of half an answer says little. */
function isTrainable({ choices, usage }) {
  if (choices?.[0]?.finish_reason === 'length') return false
  const tokens = choices?.[0]?.logprobs?.content
  if (!Array.isArray(tokens) || typeof choices[0].message?.content !== 'string') return false
  const ids = choices[0].token_ids
  if (Array.isArray(ids) && ids.length !== tokens.length) return false
  return usage?.completion_tokens === tokens.length
}

/** Likes short lines with many different letters. */
function rewardOf(text) {
  const letters = new Set(text.toLowerCase().replace(/[^a-z]/g, ''))
  return letters.size / 26 - text.length / 1000
}

/** Returns groups of trajectories whose rewards differ. */
async function rollOut(model, step, attempt) {
  const groups = []
  let lost = 0
  for (const prompt of PROMPTS) {
    const trajectories = []
    for (let tries = 0; trajectories.length < ROLLOUTS && tries < ROLLOUTS + MORE_TRIES; tries++) {
      let answer
      try {
        answer = await chat(model, step, prompt)
      } catch (error) {
        if (!(error instanceof CallFailed)) throw error
        console.warn(`A rollout is lost: ${error.message}`)
        if (++lost === 2) throw new Stop(`Rollouts fail. ${error.message}`)
        continue
      }
      if (!isTrainable(answer)) continue
      const [choice] = answer.choices
      trajectories.push({
        messages_and_choices: [{ role: 'user', content: prompt }, choice],
        reward: rewardOf(choice.message.content),
        metadata: { step, attempt },
      })
    }
    if (new Set(trajectories.map(({ reward }) => reward)).size > 1) groups.push({ trajectories })
  }
  if (groups.length === 0)
    throw new Stop('There is nothing to train on: all rewards of a prompt are alike.')
  return groups
}

// Jobs

/** Submits a batch. Returns undefined if the job may exist although there is no answer. */
async function submit(model, groups) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await callOnce(`${SVTRAIN_BASE_URL}/preview/training-jobs`, {
        method: 'POST',
        what: 'submitting a job',
        body: { model_id: model.id, trajectory_groups: groups },
      })
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error
      if (error.status === undefined || error.status >= 500) {
        console.warn(`It is not known whether there is a job. ${error.message}`)
        return { inDoubt: error.status === 503 ? 'hardly' : 'maybe' }
      }
      if (!mayPass(error)) throw error
      if (attempt === 10) throw new Stop(`No job can be submitted. ${error.message}`)
      await sleep(waitBefore(attempt, error))
    }
  }
}

/** Follows a job to its end. Returns its last event. */
async function follow(job) {
  const start = Date.now()
  const events = new List(`/preview/training-jobs/${job.id}/events`, 4)
  for (let idle = 0; idle < IDLE_POLLS; idle++) {
    const fresh = await events.more()
    for (const { id, type, data } of fresh) {
      if (type === 'gradient_step') curve.push({ id, job: job.id, loss: Number(data.loss) })
    }
    const last = events.items.find(isLast)
    if (last) return last
    if (fresh.length > 0) idle = 0
    if (Date.now() - start > JOB_LIMIT) break
    await sleep(waitBefore(idle + 1, {}))
  }
  throw new Stop(`Job ${job.id} does not end.`)
}

/** Waits until a checkpoint after `before` is listed. Returns its step, or undefined. */
async function checkpointAfter(model, before, polls) {
  for (let attempt = 1; attempt <= polls; attempt++) {
    const newest = await newestStep(model)
    if (newest > before) return newest
    if (attempt < polls) await sleep(waitBefore(attempt, {}))
  }
  return undefined
}

/** Trains once. Returns the step of the new checkpoint. */
async function train(model, before, usable) {
  let problem = ''
  for (let attempt = 1; attempt <= ATTEMPTS_PER_STEP; attempt++) {
    // Each attempt has its own rollouts, so nothing trains twice on the same answers.
    const groups = await rollOutWith(model, usable, attempt)
    const job = await submit(model, groups)
    if (job.inDoubt) {
      const made = await checkpointAfter(model, before, job.inDoubt === 'maybe' ? 9 : 3)
      if (made !== undefined) return made
      problem = 'Submissions get no answer.'
      continue
    }
    const last = await follow(job)
    if (last.type === 'training_failed') {
      problem = `Job ${job.id} failed: ${last.data.error_message}`
      console.warn(problem)
      if (attempt === 3) break
      continue
    }
    const made = await checkpointAfter(model, before, 6)
    if (made !== undefined) return made
    problem = `Job ${job.id} ended without a checkpoint.`
    console.warn(problem)
  }
  throw new Stop(`Step ${before + 1} cannot be trained. ${problem}`)
}

/** Rolls out with the newest checkpoint that answers. */
async function rollOutWith(model, usable, attempt) {
  for (;;) {
    try {
      return await rollOut(model, usable.at(-1), attempt)
    } catch (error) {
      if (!(error instanceof NotServed) || usable.length === 1) throw error
      console.warn(`Step ${usable.pop()} is not served any more.`)
    }
  }
}

// The loop

const curve = []

async function main() {
  const model = await training('/preview/models', {
    method: 'POST',
    body: {
      project: 'poems',
      name: 'poet',
      base_model: 'example/base-8b-instruct',
      return_existing: true,
    },
  })
  let step = await newestStep(model)
  if (!(await becomesServed(model, step)))
    throw new Stop(`Step ${step} of ${model.name} is not served.`)
  const usable = [step]
  const trained = []
  while (trained.length < STEPS) {
    step = await train(model, step, usable)
    trained.push(step)
    promote(step, 'loop')
    console.log(`Step ${step} is there.`)
    if (await becomesServed(model, step)) usable.push(step)
    else console.warn(`Step ${step} is not served. Step ${usable.at(-1)} goes on.`)
  }
  console.log(`Trained ${trained.length} steps. The newest that answers is step ${usable.at(-1)}.`)
  return trained
}

const server = SVTRAIN_WEBHOOK_PORT ? await receiveWebhooks() : undefined
try {
  const trained = await main()
  if (server) await untilQuiet()
  const promoted = ledger.map(({ step }) => step)
  assert.equal(new Set(promoted).size, promoted.length, 'A step is in the ledger twice')
  for (const step of trained)
    assert.ok(promoted.includes(step), `Step ${step} is not in the ledger`)
  assert.equal(new Set(curve.map(({ id }) => id)).size, curve.length, 'The curve has a point twice')
} catch (error) {
  console.error(error instanceof Stop || error instanceof CallFailed ? error.message : error)
  process.exitCode = 1
  if (server) await untilQuiet()
} finally {
  server?.close()
  server?.closeAllConnections()
}
