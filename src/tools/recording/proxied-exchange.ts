import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Dispatcher } from 'undici'
import { nextTurn } from '../../base/clock/wall.js'
import { writeError } from '../../emulator/adapters/node-http.js'
import { ApiError } from '../../service/contract/errors.js'
import type { Host } from '../../service/contract/exchange.js'
import { networkError } from '../../base/text/network-error.js'
import { bodyDecoder, decodedBody, type BodyDecoder, type DecodedBody } from './decode-body.js'
import { endToEnd, isBelow, joined, texts } from './proxied-headers.js'
import { LARGEST_BODY } from './redact-body.js'
import type { Recorder, ResponseRecorder } from './recorder.js'
import type { ResponseEnd } from './recording.js'

/** An exchange that has ended, for logs. It holds no secrets. */
export interface EndedExchange {
  readonly id: number
  readonly host: Host
  readonly method: string
  /** Below the base URL. */
  readonly path: string
  readonly query: string
  readonly status: number | undefined
  readonly how: ResponseEnd['how']
  /** When the request arrived, in milliseconds since 1970. */
  readonly at: number
  /** From the request to the end of the response, in milliseconds. */
  readonly took: number
  /** Why it was refused or lost. */
  readonly detail: string | undefined
}

/** How all calls are passed on. */
export interface PassingOptions {
  /** The connections to the service. */
  readonly dispatcher: Dispatcher
  readonly recorder: Recorder
  /** Called when an exchange has ended. */
  readonly ended: (exchange: EndedExchange) => void
}

/** A call that is passed on to the service. */
export interface PassedCall {
  readonly host: Host
  /** The origin of the service. */
  readonly origin: string
  /** The path below which the API is. A recording does not have it. */
  readonly mount?: string
  /** The path and the query below the mount. */
  readonly path: string
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Where a redirect to the service leads, so that it is recorded. Undefined: to the service. */
  readonly ownOrigin?: string | undefined
  /** Completes the error of a service that was never reached. It is called with the reason. */
  readonly unreachable: (why: string) => string
}

interface ExchangeOptions extends PassingOptions, PassedCall {
  /** The origins that were reached. */
  readonly reached: Set<string>
}

type Controller = Dispatcher.DispatchController

/** One request on its way to the service, and its response on its way back. */
export class ProxiedExchange {
  readonly #options: ExchangeOptions
  readonly #arrived: number
  readonly #body: Buffer[] = []
  #received = 0
  /** How many bytes of the response were recorded. */
  #answered = 0
  /** Bytes of the response that arrived in this turn of the event loop. */
  #pending: Buffer[] = []
  #recorded: ResponseRecorder | undefined
  #decoder: BodyDecoder | undefined
  #controller: Controller | undefined
  #status: number | undefined
  #hasEnded = false
  #clientLeft = false
  /** Whether the service has sent the whole response. */
  #isComplete = false

  constructor(options: ExchangeOptions) {
    this.#options = options
    this.#arrived = options.recorder.now()
  }

  /** Passes the request on. */
  begin(): void {
    const { request, response, dispatcher, origin, mount = '', path } = this.#options
    const { headers, method = 'GET' } = request
    const announced = Number(headers['content-length'] ?? 0)
    const hasBody = announced > 0 || headers['transfer-encoding'] !== undefined
    // A service must not act on a request that the recording does not have.
    if (!hasBody) this.#record()
    response.sendDate = false
    response.on('close', () => this.#inBackground(() => this.#closed()))
    const options: Dispatcher.DispatchOptions = {
      origin,
      path: mount + path,
      method,
      headers: endToEnd(request.rawHeaders, ['host']),
      body: hasBody ? (this.#bodyOf(announced) as never) : null,
    }
    try {
      dispatcher.dispatch(options, this.#handler())
    } catch (error) {
      this.#lost(error)
    }
  }

  /** Does work that nobody waits for. The exchange goes on if it fails. */
  #inBackground(work: () => void): void {
    this.#options.recorder.background.run(this.#what, work)
  }

  /** The same after this turn of the event loop. */
  #later(work: () => void): void {
    void this.#options.recorder.background.watch(this.#what, nextTurn().then(work))
  }

  get #what(): string {
    return `pass on ${this.#call}`
  }

  get #call(): string {
    const call = this.#recorded
    const { method = 'GET' } = this.#options.request
    return call ? `call ${call.id}, ${method} ${call.path}` : `a ${method} call`
  }

  /** Ends the exchange, because the proxy stops. */
  stop(): void {
    this.#clientLeft = true
    this.#finish(this.#isComplete ? 'complete' : 'client_left')
    this.#controller?.abort(new Error('The recording was stopped.'))
    this.#options.response.destroy()
  }

  /** Records the request when its last bytes are here, before they are passed on. */
  async *#bodyOf(announced: number): AsyncGenerator<Buffer> {
    const { request } = this.#options
    // Otherwise the end of the iteration would close the connection to the client.
    const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>
    for await (const chunk of chunks) {
      this.#received += chunk.length
      if (this.#received <= LARGEST_BODY) this.#body.push(chunk)
      else this.#body.length = 0
      if (this.#received === announced) this.#record()
      yield chunk
    }
    this.#record()
  }

  /** Records the request. Without its whole body, only the size of the body is known. */
  #record(isWhole = true): ResponseRecorder {
    if (this.#recorded) return this.#recorded
    const { host, path, request, recorder } = this.#options
    const [pathname = '', ...query] = path.split('?')
    const isKept = isWhole && this.#received <= LARGEST_BODY
    const encoding = request.headers['content-encoding']
    const { text: body, problem }: DecodedBody = isKept
      ? decodedBody(Buffer.concat(this.#body), encoding, LARGEST_BODY)
      : {}
    this.#body.length = 0
    const size = Math.max(this.#received, Number(request.headers['content-length'] ?? 0))
    const isMissing = body === undefined || (!isWhole && size > 0)
    this.#recorded = recorder.request({
      host,
      method: request.method ?? 'GET',
      path: pathname,
      query: query.join('?'),
      headers: joined(request.rawHeaders),
      body,
      omitted: isMissing && size > 0 ? size : undefined,
      arrived: this.#arrived,
    })
    if (problem !== undefined) this.#undecoded('the body of', problem)
    return this.#recorded
  }

  /** Says that a body is not in the recording. */
  #undecoded(what: string, why: string): void {
    this.#options.recorder.background.report(`decode ${what} ${this.#call}`, why)
  }

  #handler(): Dispatcher.DispatchHandler {
    return {
      onRequestStart: (controller) => {
        this.#controller = controller
        if (this.#clientLeft) controller.abort(new Error('The client left.'))
      },
      onResponseStart: (controller, status, _headers, message) => {
        if (status < 200) {
          return this.#inBackground(() => this.#informational(status, controller))
        }
        try {
          this.#started({ status, message }, controller)
        } catch (error) {
          this.#broken(error)
          controller.abort(error as Error)
        }
      },
      onResponseData: (controller, chunk) => this.#data(controller, chunk),
      onResponseEnd: (_controller, trailers) => {
        const { response, request } = this.#options
        if (Object.keys(trailers).length > 0) {
          this.#inBackground(() => response.addTrailers(trailers))
        }
        response.end()
        // The service may answer before it has read the whole request.
        request.resume()
        this.#isComplete = true
        this.#later(() => this.#finish('complete'))
      },
      onResponseError: (_controller, error) => this.#lost(error),
    }
  }

  #informational(status: number, controller: Controller): void {
    const { response } = this.#options
    const { link, ...others } = joined(texts(controller.rawHeaders))
    if (status === 102) response.writeProcessing()
    if (status === 103 && link !== undefined) response.writeEarlyHints({ ...others, link })
  }

  #started(
    { status, message }: { status: number; message?: string | undefined },
    controller: Controller,
  ): void {
    const { origin, response, reached } = this.#options
    reached.add(origin)
    const raw = texts(controller.rawHeaders)
    this.#status = status
    const headers = joined(raw)
    const recorded = this.#record(false)
    recorded.response(status, headers)
    this.#decoder = bodyDecoder(headers['content-encoding'], {
      text: (text) => recorded.chunk(text),
      drained: () => controller.resume(),
      background: this.#options.recorder.background,
    })
    response.on('drain', () => controller.resume())
    response.writeHead(status, message ?? '', [...this.#ownHeaders(), ...this.#passed(raw)])
    // A client sees the headers as soon as the service sent them. Often the body comes at the same time.
    this.#later(() => {
      if (!response.writableEnded && !response.destroyed) response.flushHeaders()
    })
  }

  /** Headers that a layer of the port has set for web pages of other origins. */
  #ownHeaders(): string[] {
    const { response } = this.#options
    return response.getHeaderNames().flatMap((name) => {
      const value = String(response.getHeader(name))
      response.removeHeader(name)
      return [name, value]
    })
  }

  /** Headers of the service. */
  #passed(raw: readonly string[]): string[] {
    const { origin, ownOrigin } = this.#options
    const passed = endToEnd(raw, [])
    if (ownOrigin === undefined) return passed
    for (let at = 0; at < passed.length; at += 2) {
      const value = passed[at + 1]!
      if (passed[at]!.toLowerCase() !== 'location' || !isBelow(value, origin)) continue
      passed[at + 1] = ownOrigin + value.slice(origin.length)
    }
    return passed
  }

  #data(controller: Controller, chunk: Buffer): void {
    if (!this.#options.response.write(chunk)) controller.pause()
    this.#pending.push(chunk)
    // The client first: Node sends at the end of the turn what was written in it. Recording delays nothing.
    if (this.#pending.length === 1) this.#later(() => this.#recordPending())
  }

  #recordPending(): void {
    if (this.#pending.length === 0) return
    const bytes = Buffer.concat(this.#pending)
    this.#pending = []
    this.#answered += bytes.length
    if (!this.#decoder!.write(bytes)) this.#controller?.pause()
  }

  #closed(): void {
    if (this.#hasEnded || this.#isComplete) return
    this.#clientLeft = true
    this.#finish('client_left')
    this.#controller?.abort(new Error('The client left.'))
  }

  #lost(error: unknown): void {
    if (this.#hasEnded) return
    const { response, origin, request, reached, unreachable } = this.#options
    // The body of the request broke off.
    if (request.errored !== null) return this.#closed()
    const why = networkError(error)
    const isReached =
      this.#status !== undefined || this.#controller !== undefined || reached.has(origin)
    this.#finish(isReached ? 'lost' : 'unreached', why)
    if (this.#status !== undefined) {
      // An answer that broke off must not look complete. The bytes before that still arrive.
      response.socket?.destroySoon()
      return
    }
    if (isReached) return void response.destroy()
    request.resume()
    this.#refuse(`The recorder cannot reach ${origin}: ${unreachable(why)}`)
  }

  /** Answers the client, if this proxy cannot pass on the answer of the service. */
  #broken(error: unknown): void {
    const { background } = this.#options.recorder
    background.report(this.#what, error)
    this.#inBackground(() => {
      this.#finish('lost', background.textOf('pass on the answer', error))
      const { response, request } = this.#options
      if (response.headersSent) return response.socket?.destroySoon()
      request.resume()
      this.#refuse('The recorder cannot pass on the answer of the service.')
    })
  }

  #refuse(message: string): void {
    const { response, host } = this.#options
    writeError(response, new ApiError(502, message), host)
  }

  #finish(how: ResponseEnd['how'], error?: string): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    const recorded = this.#record(false)
    const end = (problem?: string): void => {
      if (problem !== undefined) {
        recorded.omit(this.#answered)
        this.#undecoded('the answer to', problem)
      }
      recorded.end(how, error)
      const { host, request, recorder, ended } = this.#options
      const exchange: EndedExchange = {
        id: recorded.id,
        host,
        method: request.method ?? 'GET',
        path: recorded.path,
        query: recorded.query,
        status: this.#status,
        how,
        at: this.#arrived,
        took: recorder.now() - this.#arrived,
        detail: error ?? recorded.problem,
      }
      this.#inBackground(() => ended(exchange))
    }
    this.#recordPending()
    if (this.#decoder) this.#decoder.end(how === 'complete', end)
    else end()
  }
}
