import type { Info } from '../../emulator/control/schemas/info.js'
import { ChatAnswerReader, isStream } from './chat-answer.js'
import { call } from './control.js'

/** The answer to a chat, as far as it has arrived. */
export interface ChatAnswer {
  /** The HTTP status. Undefined until the headers are there. */
  status?: number
  /** The body as text. */
  raw: string
  /** What the body says so far. */
  read: ChatAnswerReader
  /** Why the connection ended too early. */
  lost?: string
  /** The id of the request in the journal. */
  requestId?: number
  /** Set when nothing more will arrive. */
  done?: true
}

interface ChatCall {
  body: object
  key: string
  info: Info
  signal: AbortSignal
  /** Called with each part of the answer. */
  show: (answer: ChatAnswer) => void
}

/** The header by which the page finds its request in the journal. */
const MARK = 'x-client-request-id'
let sent = 0

/**
 * Sends a chat as a client does. It goes to the chat endpoint of the training API, because that is on the
 * page's own origin: the inference API refuses web pages of other origins, such as this one.
 */
export async function sendChat({ body, key, info, signal, show }: ChatCall): Promise<void> {
  let answer: ChatAnswer = { raw: '', read: new ChatAnswerReader(false) }
  const update = (more: Partial<ChatAnswer>): void => show((answer = { ...answer, ...more }))
  update({})
  const latest = await call('GET /requests', { query: { limit: 1 } })
  const mark = `dashboard-${latest.next}-${++sent}`
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    [MARK]: mark,
  }
  const url = `..${info.base_path}/v1/chat/completions`
  try {
    const init = { method: 'POST', headers, body: JSON.stringify(body), signal }
    const response = await fetch(url, init)
    const isEvents = isStream({ headers: Object.fromEntries(response.headers) })
    update({ status: response.status, read: new ChatAnswerReader(isEvents) })
    const texts = response.body?.pipeThrough(new TextDecoderStream()).getReader()
    for (let read = await texts?.read(); read?.done === false; read = await texts?.read()) {
      answer.read.take(read.value)
      update({ raw: answer.raw + read.value })
    }
  } catch (error) {
    update({ lost: reasonOf(error as Error, signal) })
  }
  answer.read.end()
  const requestId = await findRequest(mark, latest.next)
  update({ ...(requestId !== undefined && { requestId }), done: true })
}

function reasonOf({ message }: Error, signal: AbortSignal): string {
  if (signal.aborted) return 'You stopped the request.'
  return `The connection was lost: ${message}. A fault may have dropped it; the request says which one.`
}

/** How many requests are looked at, the oldest first: others may arrive at the same time, and all while it lasts. */
const MOST_CANDIDATES = 20

/** Finds the request with that mark. Undefined if it is not in this world's journal. */
async function findRequest(mark: string, after: number): Promise<number | undefined> {
  try {
    const query = { after, method: 'POST', path: '*/v1/chat/completions', limit: 1000 }
    const { requests } = await call('GET /requests', { query })
    for (const { id } of requests.slice(0, MOST_CANDIDATES)) {
      const params = { request_id: String(id) }
      const { request } = await call('GET /requests/{request_id}', { params })
      if (request.headers[MARK] === mark) return id
    }
  } catch {
    // The answer is there without its link.
  }
  return undefined
}
