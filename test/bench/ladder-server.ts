/**
 * One rung of the ladder between a bare server and the emulator: it answers the same calls with the same
 * bytes, and does a part of the work. It prints the calls as JSON.
 */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { completionBody } from '../../src/service/api/completion.js'
import { pageJson, readPage } from '../../src/service/api/paging.js'
import { createApp } from '../../src/emulator/adapters/express.js'
import { readChatRequest, type ChatParams } from '../../src/service/engine/chat/chat-params.js'
import type { Completion } from '../../src/service/engine/chat/completion.js'
import type { Job, WrittenEvent } from '../../src/service/engine/jobs/job.js'
import { createEmulator } from '../../src/index.js'
import type { ScenarioInput } from '../../src/service/scenario/scenario.js'
import { openEmulator } from './emulator-calls.js'
import { LADDER_CALLS, ladderCalls, type LadderCall, type Rung } from './ladder-calls.js'

const [rung, port, file] = process.argv.slice(2) as [Rung, string, string]
const emulator = createEmulator({
  scenario: JSON.parse(readFileSync(file, 'utf8')) as ScenarioInput,
  clock: 'manual',
})
await emulator.listen()
const { origin } = new URL(emulator.trainingUrl)
const calls = ladderCalls(await openEmulator(origin))
const answers = {} as Record<LadderCall, Answer>
for (const name of LADDER_CALLS) answers[name] = await answerTo(name)
const byPath = new Map(LADDER_CALLS.map((name) => [calls[name].path, answers[name]]))

/** Returns the body of an answer to the body of a request. */
type Answer = (body: string) => string | Promise<string>

async function answerTo(name: LadderCall): Promise<Answer> {
  const { method, path, body } = calls[name]
  const headers = { authorization: 'Bearer any-key', 'content-type': 'application/json' }
  const response = await fetch(origin + path, { method, headers, ...(body && { body }) })
  const text = await response.text()
  if (rung === 'stored' || rung === 'express') return () => text
  const ready: unknown = JSON.parse(text)
  if (rung === 'objects') {
    return (sent) => {
      if (sent !== '') JSON.parse(sent)
      return JSON.stringify(ready)
    }
  }
  return name === 'chat' ? computedChat : computedPage(new URL(origin + path))
}

/** Computes the events, and nothing else: no routes, keys, checks or journal. */
function computedPage({ pathname, searchParams }: URL): Answer {
  const job = emulator.engine.store.jobs.get(pathname.split('/').at(-2)!)!
  const after = searchParams.get('after') ?? undefined
  const limit = Number(searchParams.get('limit'))
  return () => pageJson(readPage(listingOf(job), { after, limit })!)
}

function listingOf(job: Job): Parameters<typeof readPage<WrittenEvent>>[0] {
  return {
    size: job.eventCount,
    placeAfter: (id) => job.indexOf(id)! + 1,
    slice: (start, end) =>
      Array.from({ length: end - start }, (_, index) => job.jsonEventAt(start + index)),
  }
}

/** Reads the request and invents the answer, and nothing else. */
async function computedChat(sent: string): Promise<string> {
  const body = JSON.parse(sent) as Parameters<typeof readChatRequest>[0] & { model: string }
  const params = readChatRequest(body) as ChatParams
  const served = { kind: 'base', id: body.model } as const
  const completed = await emulator.engine.chat.complete({ params, served, headers: {} })
  return JSON.stringify(completionBody(completed as Completion, params))
}

function answer(request: IncomingMessage, response: ServerResponse): void {
  const found = byPath.get(request.url!)
  if (!found) return void response.end(JSON.stringify(calls))
  const send = (body: string): void => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    response.writeHead(200, headers)
    response.end(body)
  }
  const respond = (sent: string): void => {
    const body = found(sent)
    if (typeof body === 'string') send(body)
    else void body.then(send)
  }
  if (request.method === 'GET') return respond('')
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => respond(Buffer.concat(chunks).toString()))
}

if (rung === 'express') {
  const { options, listener } = await createApp([{ handle: answer }])
  createServer(options, listener).listen(Number(port), '127.0.0.1')
} else {
  createServer(answer).listen(Number(port), '127.0.0.1')
}
