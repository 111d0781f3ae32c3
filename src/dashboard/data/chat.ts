import type { Info } from '../../emulator/control/schemas.js'
import { dataOf } from '../parts/event-stream.js'
import { call } from './control.js'

/** The answer to a chat, as far as it has arrived. */
export interface ChatAnswer {
  /** The HTTP status. Undefined until the headers are there. */
  status?: number
  /** The body as text. */
  raw: string
  choices: readonly Choice[]
  usage?: unknown
  /** Why there is no answer, or only a part of one. */
  error?: string
  /** The id of the request in the journal. */
  requestId?: number
  /** Set when nothing more will arrive. */
  done?: true
}

/** One of the `n` answers. */
export interface Choice {
  index: number
  content: string
  refusal: string
  toolCalls: readonly ToolCall[]
  finishReason: string | undefined
  /** Each token with its log probability. */
  logprobs: readonly TokenLogprob[]
}

export interface ToolCall {
  id: string
  name: string
  arguments: string
}

export interface TokenLogprob {
  token: string
  logprob: number
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
  const latest = await call('GET /requests', { query: { limit: 1 } })
  const mark = `dashboard-${latest.next}-${++sent}`
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    [MARK]: mark,
  }
  const url = `..${info.base_path}/v1/chat/completions`
  let answer: ChatAnswer = { raw: '', choices: [] }
  const update = (more: Partial<ChatAnswer>): void => show((answer = { ...answer, ...more }))
  try {
    const init = { method: 'POST', headers, body: JSON.stringify(body), signal }
    const response = await fetch(url, init)
    update({ status: response.status })
    const type = response.headers.get('content-type') ?? ''
    await readAnswer(response, { isStream: type.includes('event-stream'), update })
  } catch (error) {
    update({ error: reasonOf(error as Error, signal) })
  }
  const requestId = await findRequest(mark, latest.next)
  update({ ...(requestId !== undefined && { requestId }), done: true })
}

function reasonOf({ message }: Error, signal: AbortSignal): string {
  if (signal.aborted) return 'You stopped the request.'
  return `The connection was lost: ${message}. A fault may have dropped it; the request says which one.`
}

interface Reading {
  isStream: boolean
  update: (more: Partial<ChatAnswer>) => void
}

async function readAnswer(response: Response, { isStream, update }: Reading): Promise<void> {
  const reader = response.body?.getReader()
  if (!reader) return
  const decoder = new TextDecoder()
  const choices = new Choices()
  let raw = ''
  let rest = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) break
    const text = decoder.decode(value, { stream: true })
    raw += text
    if (isStream) {
      const events = (rest + text).split(/\r?\n\r?\n/)
      rest = events.pop() ?? ''
      for (const event of events) choices.takeEvent(event)
    }
    update({ raw, choices: choices.all, usage: choices.usage })
  }
  if (!isStream) choices.takeBody(raw)
  const error = choices.error ?? (response.ok ? undefined : errorIn(raw))
  update({ raw, choices: choices.all, usage: choices.usage, ...(error && { error }) })
}

/** The message of an error, in each of the forms that the service has. */
function errorIn(raw: string): string {
  try {
    const { detail, error, message } = JSON.parse(raw) as Record<string, unknown>
    const said = detail ?? (error as { message?: unknown } | undefined)?.message ?? error ?? message
    return typeof said === 'string' ? said : JSON.stringify(said ?? raw)
  } catch {
    return raw === '' ? 'The answer is empty.' : raw
  }
}

interface WireMessage {
  content?: string | null
  refusal?: string | null
  tool_calls?: {
    index?: number
    id?: string
    function?: { name?: string; arguments?: string }
  }[]
}

interface WireChoice {
  index?: number
  message?: WireMessage
  delta?: WireMessage
  finish_reason?: string | null
  logprobs?: { content?: TokenLogprob[] | null } | null
}

interface WireBody {
  choices?: WireChoice[]
  usage?: unknown
  error?: { message?: string }
}

/** Joins the parts of a stream. */
class Choices {
  usage: unknown
  error: string | undefined
  readonly #byIndex = new Map<number, Choice>()

  get all(): readonly Choice[] {
    return [...this.#byIndex.values()].sort((one, other) => one.index - other.index)
  }

  takeEvent(event: string): void {
    const data = dataOf(event)
    if (data !== '' && data !== '[DONE]') this.takeBody(data)
  }

  /** A chunk, or a whole answer. Text that is not JSON is shown as it is. */
  takeBody(text: string): void {
    let body: WireBody
    try {
      body = JSON.parse(text) as WireBody
    } catch {
      this.error = `A part of the answer is not JSON: ${text.slice(0, 200)}`
      return
    }
    if (body.usage) this.usage = body.usage
    if (body.error) this.error = body.error.message ?? JSON.stringify(body.error)
    for (const choice of body.choices ?? []) this.#add(choice)
  }

  #add({ index = 0, message, delta, finish_reason: reason, logprobs }: WireChoice): void {
    const { content, refusal, tool_calls: calls = [] } = message ?? delta ?? {}
    const before = this.#byIndex.get(index) ?? emptyChoice(index)
    const toolCalls = [...before.toolCalls]
    for (const [place, { index: at = place, id, function: named }] of calls.entries()) {
      const known = toolCalls[at] ?? { id: '', name: '', arguments: '' }
      toolCalls[at] = {
        id: id ?? known.id,
        name: named?.name ?? known.name,
        arguments: known.arguments + (named?.arguments ?? ''),
      }
    }
    this.#byIndex.set(index, {
      index,
      content: before.content + (content ?? ''),
      refusal: before.refusal + (refusal ?? ''),
      toolCalls,
      finishReason: reason ?? before.finishReason,
      logprobs: [...before.logprobs, ...(logprobs?.content ?? [])],
    })
  }
}

function emptyChoice(index: number): Choice {
  return { index, content: '', refusal: '', toolCalls: [], finishReason: undefined, logprobs: [] }
}

/** How many requests are looked at. Others may arrive at the same time. */
const MOST_CANDIDATES = 20

/** Finds the request with that mark. Undefined if it is not in this world's journal. */
async function findRequest(mark: string, after: number): Promise<number | undefined> {
  try {
    const query = { after, method: 'POST', path: '*/v1/chat/completions', limit: 1000 }
    const { requests } = await call('GET /requests', { query })
    for (const { id } of requests.toReversed().slice(0, MOST_CANDIDATES)) {
      const params = { request_id: String(id) }
      const { request } = await call('GET /requests/{request_id}', { params })
      if (request.headers[MARK] === mark) return id
    }
  } catch {
    // The answer is there without its link.
  }
  return undefined
}
