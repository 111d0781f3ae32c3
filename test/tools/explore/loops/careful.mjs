// Runs two careful loops as one program: one receives webhooks, and one reads the events of its jobs.
//
//   SVTRAIN_BASE_URL=… SVTRAIN_INFERENCE_URL=… SVTRAIN_API_KEY=… node careful.mjs
//
// With SVTRAIN_WEBHOOK_PORT it also receives webhooks there, at /hook. SVTRAIN_WEBHOOK_SECRET verifies them.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import poems from './careful/poems.mjs'
import releases from './careful/releases.mjs'

const { SVTRAIN_BASE_URL, SVTRAIN_INFERENCE_URL, SVTRAIN_API_KEY } = process.env
const { SVTRAIN_WEBHOOK_PORT, SVTRAIN_WEBHOOK_SECRET } = process.env

/** Milliseconds. A process may be slow on a busy machine. */
const CALL_TIMEOUT = 1000
/** An emulator can skip the time of jobs, so they are over soon. */
const LONGEST_PAUSE = 300

const deliveries = []

const server = createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const bytes = Buffer.concat(chunks)
  const verdict = isSigned(bytes, request.headers['x-service-signature']) ? 'valid' : 'invalid'
  try {
    deliveries.push({ verdict, body: JSON.parse(bytes.toString()) })
    response.writeHead(verdict === 'valid' ? 200 : 401).end()
  } catch {
    response.writeHead(400).end()
  }
})

function isSigned(bytes, signature = '') {
  if (!SVTRAIN_WEBHOOK_SECRET) return true
  const expected = Buffer.from(
    createHmac('sha256', SVTRAIN_WEBHOOK_SECRET).update(bytes).digest('hex'),
  )
  const given = Buffer.from(signature)
  return given.length === expected.length && timingSafeEqual(given, expected)
}

if (SVTRAIN_WEBHOOK_PORT) {
  server.listen(Number(SVTRAIN_WEBHOOK_PORT), '127.0.0.1')
  await once(server, 'listening')
}
try {
  const service = {
    fetch: (url, call) => fetch(url, { ...call, signal: AbortSignal.timeout(CALL_TIMEOUT) }),
    trainingUrl: SVTRAIN_BASE_URL,
    inferenceUrl: SVTRAIN_INFERENCE_URL,
    apiKey: SVTRAIN_API_KEY,
    sink: { deliveries },
    longestPause: LONGEST_PAUSE,
    sleep,
  }
  for (const main of [releases, poems]) await main(service)
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
} finally {
  server.close()
  server.closeAllConnections()
}
