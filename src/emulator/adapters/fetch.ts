import {
  BODY_LIMIT,
  EMPTY_BODY,
  type ApiRequest,
  type Host,
  type Outcome,
} from '../../service/contract/exchange.js'
import type { ContentReceiver, ReceiveContent } from '../../service/contract/content.js'
import { toResponse, type Answer } from './fetch-response.js'

/** Returns the host that a URL belongs to, or undefined if it belongs to neither. */
export type HostOf = (url: URL) => Host | undefined

/** Where the paths of a client lead to. */
export interface Mount {
  /** What the path of a call begins with. */
  readonly outside: string
  /** What replaces it: the path that the emulator uses. */
  readonly inside: string
  /** What the addresses that the emulator gives out begin with, after the origin. Default: nothing. */
  readonly base?: string
}

export interface FetchOptions {
  /** How redirects are handled. Default: as the request says. */
  redirect?: RequestRedirect
  /** Whether the emulator was closed. Default: never. */
  closed?: () => boolean
  /** The largest body that is read, in bytes. Default: `BODY_LIMIT`. */
  bodyLimit?: number
  /** Takes contents that are uploaded. Default: all bodies are read into memory. */
  receive?: ReceiveContent | undefined
  /** Headers of streams that have no length. Default: none. */
  streamHeaders?: Readonly<Record<string, string>>
}

type Handle = (host: Host, request: ApiRequest) => Outcome | Promise<Outcome>

/**
 * Creates a fetch function that calls the emulator without a port and without interception. For a URL
 * that isn't the emulator's, it rejects with a `TypeError`, as fetch does for an unreachable host.
 */
export function createFetch(
  handle: Handle,
  hostOf: HostOf,
  options: FetchOptions = {},
): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    if (typeof input === 'object') sources.set(request, input)
    request.signal.throwIfAborted()
    const { response, url, redirected } = await unlessAborted(
      exchange({ handle, hostOf, request, options }),
      request,
    )
    // `new Response` sets neither of them. Clients print them in their errors.
    return Object.defineProperties(response, {
      url: { value: url.href, configurable: true },
      redirected: { value: redirected, configurable: true },
    })
  }
}

/**
 * The signal of a request only follows that of the caller as long as the request itself exists. Once the request
 * is collected as garbage, a timeout of the caller is lost, and a call that hangs never ends. So whatever waits
 * for a signal here holds the request, and a request holds the one that it was made from.
 */
const sources = new WeakMap<Request, string | URL | Request>()

/**
 * Does the same for a library that intercepts requests. Such a library creates the request, and handles
 * its abort itself.
 */
export function createResponder(
  handle: Handle,
  hostOf: HostOf,
  options: FetchOptions,
): (request: Request, mount: Mount) => Promise<Response> {
  return async (request, mount) => {
    return (await exchange({ handle, hostOf, request, mount, options })).response
  }
}

export const CLOSED =
  'this emulator is closed. Close it after the last request, or create another one.'

interface Incoming {
  handle: Handle
  hostOf: HostOf
  request: Request
  /** Default: the addresses of the emulator. */
  mount?: Mount
  options: FetchOptions
}

interface FinalResponse {
  response: Response
  /** The URL of the answer, after redirects. */
  url: URL
  redirected: boolean
}

export const WHOLE_ORIGIN: Mount = { outside: '', inside: '' }

/** The most redirects that a call follows, as in Node's fetch. */
const MOST_REDIRECTS = 20

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]

const OF_BODIES = ['content-type', 'content-length', 'content-encoding', 'content-language']

/** Whether fetch follows a redirect with a GET without a body. */
function becomesGet(status: number, method: string): boolean {
  return status === 303 ? method !== 'HEAD' : status < 303 && method === 'POST'
}

async function exchange(incoming: Incoming): Promise<FinalResponse> {
  const { handle, hostOf, request, mount = WHOLE_ORIGIN, options } = incoming
  if (options.closed?.()) throw failed(CLOSED, 'SVTRAIN_CLOSED')
  const { redirect: mode = request.redirect } = options
  let { method } = request
  const headers = Object.fromEntries(request.headers)
  let url = new URL(request.url)
  let sent: ReceivedBody | undefined
  for (let redirects = 0; ; redirects++) {
    const host = ownHost(url, hostOf)
    const head = { method, headers, ...insideOf(url, mount) }
    sent ??= await received(incoming, host, head)
    const { lost, ...body } = sent
    const outcome = await handle(host, { ...head, ...body })
    body.content?.discard()
    if (lost) throw new TypeError('fetch failed', { cause: lost })
    const answer = seenFromOutside(await answerIn(outcome, incoming), url, mount)
    const { location } = answer.headers
    if (!REDIRECTS.includes(answer.status) || location === undefined || mode === 'manual') {
      return { response: toResponse(answer, request), url, redirected: redirects > 0 }
    }
    if (mode === 'error') throw failed('unexpected redirect')
    if (redirects === MOST_REDIRECTS) throw failed('redirect count exceeded')
    url = new URL(location, url)
    if (!becomesGet(answer.status, method)) continue
    method = 'GET'
    sent = { body: EMPTY_BODY }
    for (const name of OF_BODIES) delete headers[name]
  }
}

/** The address that the emulator uses for a URL. */
function insideOf(
  { origin, pathname, search }: URL,
  { outside, inside, base = '' }: Mount,
): Pick<ApiRequest, 'base' | 'path' | 'query'> {
  const path = withStart(pathname, outside, inside)
  return { base: origin + base, path, query: search.slice(1) }
}

/** An answer whose location, if it is an address of the emulator, is one that the client can call. */
function seenFromOutside(answer: Answer, { origin }: URL, mount: Mount): Answer {
  const { location } = answer.headers
  if (location === undefined) return answer
  const { outside, inside, base = '' } = mount
  const callable = withStart(location, origin + base + inside, origin + outside)
  return { ...answer, headers: { ...answer.headers, location: callable } }
}

/** A text with another start. One that starts otherwise stays as it is. */
function withStart(text: string, before: string, after: string): string {
  return text.startsWith(before) ? after + text.slice(before.length) : text
}

/** Waits for the end of an outcome without an answer, and rejects then as Node's fetch does. */
async function answerIn(outcome: Outcome, { request, options }: Incoming): Promise<Answer> {
  if (outcome.kind === 'hang') await hang(outcome, request)
  if (outcome.kind === 'hang' || outcome.kind === 'disconnect') {
    throw failed('other side closed', 'UND_ERR_SOCKET')
  }
  if (outcome.kind === 'response' || 'content-length' in outcome.headers) return outcome
  return { ...outcome, headers: { ...outcome.headers, ...options.streamHeaders } }
}

function hang({ until, leave }: Outcome & { kind: 'hang' }, request: Request): Promise<boolean> {
  if (request.signal.aborted) leave()
  request.signal.addEventListener('abort', leave, { once: true })
  return until.finally(() => request.signal.removeEventListener('abort', leave))
}

type ReceivedBody = Pick<ApiRequest, 'body' | 'content'> & { readonly lost?: Error | undefined }

/** Reads the body of a request. `lost` is why the body of an upload broke off. */
async function received(
  { request, options }: Incoming,
  ...[host, head]: Parameters<ReceiveContent>
): Promise<ReceivedBody> {
  if (!request.body) return { body: EMPTY_BODY }
  const content = options.receive?.(host, head)
  if (!content) return { body: await bytesOf(request, options.bodyLimit ?? BODY_LIMIT) }
  return { body: EMPTY_BODY, content, lost: await passOn(request.body, content) }
}

/** Passes the body of a request on as it comes. Returns why it broke off. Undefined: it did not. */
async function passOn(
  body: ReadableStream<Uint8Array>,
  content: ContentReceiver,
): Promise<Error | undefined> {
  const reader = body.getReader()
  try {
    while (content.problem === undefined) {
      const { done, value } = await reader.read()
      if (done) break
      content.write(value)
    }
    if (content.problem) void reader.cancel().catch(() => {})
    else await content.end()
    return undefined
  } catch (error) {
    content.breakOff()
    return error as Error
  }
}

async function bytesOf(request: Request, limit: number): Promise<ApiRequest['body']> {
  const bytes = new Uint8Array(await request.arrayBuffer())
  return bytes.length > limit ? 'too-large' : bytes
}

/** Rejects as soon as the caller aborts, even if the answer is delayed. */
export function unlessAborted<T>(
  answer: Promise<T>,
  request: { readonly signal: AbortSignal },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = (): void => reject(request.signal.reason as Error)
    request.signal.addEventListener('abort', abort, { once: true })
    const done = (): void => request.signal.removeEventListener('abort', abort)
    answer.then(resolve, reject).finally(done)
  })
}

/** The error that Node's fetch rejects with. The reason is in its cause. */
function failed(reason: string, code?: string): TypeError {
  return new TypeError('fetch failed', {
    cause: Object.assign(new Error(reason), code && { code }),
  })
}

function ownHost(url: URL, hostOf: HostOf): Host {
  const host = hostOf(url)
  if (host) return host
  throw failed(`${url.origin} is not an address of this emulator`)
}
