// Our poet: three steps of reinforcement learning.
//   node five-bugs.mjs
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'

const env = process.env
const headers = {
  authorization: `Bearer ${env.SVTRAIN_API_KEY}`,
  'content-type': 'application/json',
}

async function api(method, path, body) {
  const response = await fetch(env.SVTRAIN_BASE_URL + path, {
    method,
    headers,
    body: body && JSON.stringify(body),
    signal: AbortSignal.timeout(1000),
  })
  return read(response, `${method} ${path}`)
}

async function read(response, what) {
  const text = await response.text()
  let body
  try {
    // The service writes NaN like Python does.
    body = JSON.parse(text.replace(/:\s*(NaN|-?Infinity)\b/g, ':null'))
  } catch {
    if (response.ok) throw new Error(`${what}: not JSON`)
  }
  if (response.ok) return body
  const error = new Error(`${what}: ${response.status} ${text.slice(0, 200)}`)
  error.status = response.status
  error.fromProxy = !body?.detail && !body?.error
  error.retryAfter = Number(response.headers.get('retry-after') ?? 0) * 1000
  throw error
}

function isTemporary({ status, fromProxy }) {
  if (!status || status >= 500 || [402, 408, 429].includes(status)) return true
  return status === 400 && fromProxy
}

async function withRetries(task, isWorthIt = isTemporary) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await task()
    } catch (error) {
      if (attempt === 10 || !isWorthIt(error)) throw error
      await sleep(Math.min(error.retryAfter || 20 * 2 ** attempt, 100 * attempt, 300))
    }
  }
}

const temporaryOrMissing = (error) => isTemporary(error) || error.status === 404

// Webhooks: each finished run becomes a release.

const releases = []
let received = 0

function listen() {
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    let event
    try {
      event = JSON.parse(text)
    } catch {
      response.writeHead(400).end()
      return
    }
    const state = event.run_state ?? event.state
    received++
    if (state === 'finished') releases.push(`release ${releases.length + 1}`)
    response.end('ok')
  })
  return new Promise((resolve) => {
    server.listen(Number(env.SVTRAIN_WEBHOOK_PORT), '127.0.0.1', () => resolve(server))
  })
}

/** The last webhooks may still be on their way. */
async function untilQuiet() {
  for (let before; before !== received; await sleep(200)) before = received
}

// Rollouts

const prompts = ['Name an animal.', 'Name a city.']

async function ask(model, step, prompt) {
  const response = await fetch(`${env.SVTRAIN_INFERENCE_URL}/chat/completions`, {
    method: 'POST',
    headers,
    body: JSON.stringify({
      model: `artifact:///${model.entity}/${model.project}/${model.name}:step${step}`,
      messages: [{ role: 'user', content: prompt }],
      max_tokens: 20,
      logprobs: true,
    }),
  })
  const { choices, usage } = await read(response, `chat with step ${step}`)
  return { choice: choices[0], tokens: usage.completion_tokens }
}

const score = ({ message }) =>
  1 / (1 + message.content.length) + message.content.charCodeAt(0) / 1e6

async function rollouts(model, step) {
  const groups = []
  for (const prompt of prompts) {
    const trajectories = []
    for (let i = 0; i < 6 && trajectories.length < 2; i++) {
      const { choice, tokens } = await withRetries(() => ask(model, step, prompt))
      if (choice.logprobs?.content?.length !== tokens) continue
      trajectories.push({
        messages_and_choices: [{ role: 'user', content: prompt }, choice],
        reward: score(choice),
        metadata: { step },
      })
    }
    groups.push({ trajectories })
  }
  return groups
}

// Jobs

const losses = []
let ended = 0

async function follow(job) {
  const deadline = Date.now() + 10_000
  let after
  let before
  let failures = 0
  let limit = 4
  while (Date.now() < deadline) {
    try {
      const page = await api(
        'GET',
        `/preview/training-jobs/${job.id}/events?limit=${limit}${after ? `&after=${after}` : ''}`,
      )
      failures = 0
      for (const event of page.data) {
        if (event.type === 'gradient_step') losses.push({ event: event.id, loss: event.data.loss })
        if (event.type === 'training_failed') throw new JobFailed(event.data.error_message)
        if (event.type === 'training_ended') {
          ended++
          return
        }
      }
      if (page.data.length > 0) {
        before = after
        after = page.last_id
      }
      if (page.has_more) limit = Math.min(limit * 2, 100)
      else await sleep(100)
    } catch (error) {
      if (error instanceof JobFailed || ++failures === 10 || !temporaryOrMissing(error)) throw error
      // Better read a page again than lose one.
      after = before
      await sleep(Math.min(error.retryAfter || 50, 300))
    }
  }
  throw new Error(`job ${job.id} takes too long`)
}

class JobFailed extends Error {}

async function newest(model) {
  const path = `/preview/models/${model.id}/checkpoints?limit=1&order=desc`
  const page = await withRetries(() => api('GET', path), temporaryOrMissing)
  return page.data[0]?.step ?? 0
}

async function trainOnce(model, step) {
  for (let attempt = 1; ; attempt++) {
    const trajectory_groups = await rollouts(model, step)
    const batch = { model_id: model.id, trajectory_groups }
    const job = await withRetries(
      () => api('POST', '/preview/training-jobs', batch),
      temporaryOrMissing,
    )
    try {
      await follow(job)
      for (let i = 0; i < 10; i++) {
        const made = await newest(model)
        if (made > step) return made
        await sleep(50)
      }
      throw new JobFailed('no checkpoint')
    } catch (error) {
      if (!(error instanceof JobFailed) || attempt === 3) throw error
      console.log(`again, because ${error.message}`)
    }
  }
}

const server = env.SVTRAIN_WEBHOOK_PORT ? await listen() : undefined
try {
  const model = await withRetries(() =>
    api('POST', '/preview/models', {
      project: 'poems',
      name: 'namer',
      base_model: 'example/base-8b-instruct',
      return_existing: true,
    }),
  )
  let step = await newest(model)
  for (let i = 0; i < 3; i++) {
    step = await trainOnce(model, step)
    console.log(`step ${step}, last loss ${losses.at(-1)?.loss}`)
  }
  const { choice } = await withRetries(() => ask(model, step, 'Say goodbye.'))
  console.log(choice.message.content)
  if (server) await untilQuiet()
  if (releases.length > ended) throw new Error(`${releases.length} releases of ${ended} runs`)
  const points = new Set(losses.map(({ event }) => event)).size
  if (points !== losses.length) {
    throw new Error(`the curve has ${losses.length} points for ${points} gradient steps`)
  }
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
  if (server) await untilQuiet()
} finally {
  server?.close()
  server?.closeAllConnections()
}
