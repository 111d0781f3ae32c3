import { connect } from 'node:net'
import { drawCall, type Call } from './calls.js'
import { assertAnswer, isUnsettled, lasting, startStages } from './control-calls.js'
import type { StartKind } from './kind.js'

/** The headers that say where a body ends, and what is sent of it. */
type Framed = readonly [lines: readonly string[], content: Buffer]

const lengthOf = (length: number): string => `content-length: ${length}`
const chunked = (body: Buffer, size: string): Framed => [
  ['transfer-encoding: chunked'],
  Buffer.concat([Buffer.from(`${size}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]),
]

/** Ways to say where a body ends, most of them wrong. */
const framings: Readonly<Record<string, (body: Buffer) => Framed>> = {
  right: (body) => [[lengthOf(body.length)], body],
  chunked: (body) => chunked(body, body.length.toString(16)),
  'wrong chunks': (body) => chunked(body, 'zz'),
  'too long': (body) => [[lengthOf(body.length + 10)], body],
  'too short': (body) => [[lengthOf(Math.max(0, body.length - 1))], body],
  none: () => [[], Buffer.alloc(0)],
  twice: (body) => [[lengthOf(body.length), lengthOf(1)], body],
  cut: (body) => [[lengthOf(body.length)], body.subarray(0, body.length / 2)],
}
const wrongFramings = Object.keys(framings).slice(1)

/** The same calls over a socket, with what a transport makes of them. */
export const startSocketCalls: StartKind = async () => {
  const { small, stages } = await startStages()
  for (const { emulator } of stages) await emulator.listen()
  return {
    async attempt(draw) {
      const call = drawCall(draw, small)
      const framing = draw.tell(draw.isHit(0.2) ? draw.oneOf(wrongFramings) : 'right')
      // An exploration or a sink would stay.
      if (lasting.includes(call.row)) return 'refused'
      const stage = stages[Number(call.isolated) as 0 | 1]
      const status = await spoken(Number(new URL(stage.emulator.trainingUrl).port), call, framing)
      const isAccepted = (status >= 200 && status < 400) || isUnsettled(call, status)
      return stage.after(call, isAccepted && call.method !== 'GET')
    },
    async end() {
      await Promise.all(stages.map((stage) => stage.close()))
    },
  }
}

/** Sends a call as bytes, and returns the status of the answer; 0 if the connection ended without one. */
async function spoken(port: number, call: Call, framing: string): Promise<number> {
  const { method, path, query, headers } = call
  const body = Buffer.from(call.body === 'too-large' ? '{}' : call.body)
  const target = encodeURI(Buffer.from(`${path}${query && '?'}${query}`).toString())
  const [framed, content] = framings[framing]!(body)
  const written = [
    `${method} ${target.replaceAll('%25', '%').slice(0, 8000)} HTTP/1.1`,
    'host: 127.0.0.1',
    'connection: close',
    ...Object.entries(headers).map(
      ([name, value]) => `${name}: ${value?.replaceAll(/[\r\n]/g, '')}`,
    ),
    ...framed,
    '',
    '',
  ].join('\r\n')
  const received: Buffer[] = []
  await new Promise<void>((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('data', (chunk) => {
      received.push(chunk)
      // A stream of events has no end.
      if (chunk.includes('text/event-stream')) socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    socket.write(Buffer.concat([Buffer.from(written, 'latin1'), content]))
    // The server waits for the rest of a body. An answer must not be broken off, and an empty body has no rest.
    if (framing === 'too long' || (framing === 'cut' && body.length > 0)) socket.end()
  })
  const answer = Buffer.concat(received).toString()
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0)
  assertAnswer(call, status, answer)
  return status
}
