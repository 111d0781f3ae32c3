import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { rest, type Part, type Player } from './player.js'

/** Sends a text on a bare socket, waits `ms` milliseconds, and disconnects. */
async function say(player: Player, text: string, ms: number): Promise<string> {
  const { draws, ended, shared } = player
  const { trainingUrl, inferenceUrl } = shared.address
  const { hostname, port } = new URL(draws.oneOf([trainingUrl, inferenceUrl]))
  const socket = connect(Number(port), hostname)
  let heard = ''
  socket.on('error', () => {}).on('data', (chunk) => (heard += chunk.toString('latin1')))
  socket.write(text)
  await pause(ms, undefined, { signal: ended }).catch(() => {})
  socket.destroy()
  return heard
}

const job = JSON.stringify({ model_id: '0', trajectory_groups: [] })
const head = (method: string, path: string, more = ''): string =>
  `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer soak\r\n${more}`
const withLength = (length: number): string =>
  `content-type: application/json\r\ncontent-length: ${length}\r\n\r\n`

/** Texts that are not complete requests. */
export const utterances: readonly ((noise: string) => string)[] = [
  (noise) => `${noise}\r\n\r\n`,
  () => 'GET / HTTP/9.9\r\n\r\n',
  () => head('GET', '/v1/health'),
  (noise) =>
    head('GET', `/v1/preview/${encodeURIComponent(noise)}/x`, `x: ${'y'.repeat(20_000)}\r\n\r\n`),
  () => head('POST', '/v1/preview/training-jobs', withLength(1000)) + job,
  () => head('POST', '/v1/preview/training-jobs', withLength(3)) + job,
  (noise) => head('POST', '/v1/preview/models', withLength(noise.length)) + noise,
  () => head('POST', '/v1/preview/models', 'transfer-encoding: chunked\r\n\r\nzz\r\n'),
  () =>
    head('POST', '/v1/preview/models', 'content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n'),
  () => head('POST', '/v1/preview/models', 'expect: 100-continue\r\ncontent-length: 9\r\n\r\n'),
  () => head('GET', '/v1/health', 'upgrade: websocket\r\nconnection: upgrade\r\n\r\n'),
  () => head('CONNECT', '127.0.0.1:1', '\r\n'),
  () => head('GET', '/v1/%zz/%00', '\r\n') + head('OPTIONS', '*', '\r\n'),
  () => head('GET', '/_emulator/jobs/%zz', '\r\n'),
  () => head('POST', '/_emulator/clock', `${withLength(9)}{"mode": `),
  () => head('GET', '/v1/preview/base-models', '\r\n').repeat(50),
]

/** Sends garbage and torn requests. */
export const sayNonsense: Part = async (player) => {
  const { draws, ledger } = player
  const noise = Array.from({ length: 1 + draws.below(60) }, () => draws.below(256))
  const text = String.fromCharCode(...noise).replaceAll(/[\r\n]/g, ' ')
  const heard = await say(player, draws.oneOf(utterances)(text), draws.below(150))
  ledger.count('torn requests')
  if (/^HTTP\/1.1 500/m.test(heard)) {
    ledger.find('answers', `garbage is answered with ${heard.slice(0, 300)}`, player.who)
  }
  await rest(player)
}

/** Sends a request, and disconnects before or during the answer. */
export const vanish: Part = async (player) => {
  const { draws, ledger, shared } = player
  const model = { project: 'soak', name: `lost-${draws.below(50)}`, base_model: 'b' }
  const chat = {
    model: 'example/base-8b-instruct',
    messages: [{ role: 'user', content: 'Tell me more.' }],
    stream: draws.isHit(0.7),
    max_tokens: 2000,
  }
  const [method, path, body] = draws.oneOf([
    ['POST', '/preview/models', { ...model, return_existing: true }],
    ['GET', '/preview/models/x/checkpoints', undefined],
    ['POST', '/chat/completions', chat],
    ['POST', '/chat/completions', chat],
    ['GET', '/system-check', undefined],
  ] as const)
  const patience = draws.below(12)
  // Some get the complete answer before they leave. A stream is not JSON.
  const asked = { body, patience, expected: [200, 404], asText: true }
  await player.line(shared).ask(method, path, asked)
  ledger.count('clients that vanished')
  await rest(player, 20)
}
