import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { env as environment } from 'node:process'
import type { Dispatcher } from 'undici'
import { closePort, openPort } from '../../emulator/adapters/port.js'
import type { Listening } from '../../emulator/adapters/listen.js'
import type { ListenOptions } from '../../emulator/adapters/listen-options.js'
import { portOf } from '../../emulator/adapters/bind.js'
import { writeError } from '../../emulator/adapters/node-http.js'
import { isControlPath } from '../../emulator/control/control-path.js'
import { ApiError } from '../../service/contract/errors.js'
import { DISCONNECT, type Host } from '../../service/contract/exchange.js'
import { Outside } from '../../emulator/intercept/outside.js'
import { verifiedAgent } from '../../emulator/intercept/verified-agent.js'
import { PassedCalls, PATIENT } from './passed-calls.js'
import type { PassedCall, PassingOptions } from './proxied-exchange.js'

/** The options of a `Proxy`. */
export interface ProxyOptions extends Omit<PassingOptions, 'dispatcher'> {
  readonly trainingUrl: string
  readonly inferenceUrl: string
}

/** The ports of a proxy listen as those of an emulator do. */
export type ProxyListenOptions = Omit<ListenOptions, 'controlToken' | 'use' | 'limits'>

const HOUR = 3_600_000

/** The service decides how long a call may take and how large it may be, not the proxy. */
export const RECORDING_LIMITS = { request: 24 * HOUR, stalled: HOUR, headerBytes: 64 * 1024 }

/** The proxy that records: one port for each host of the service. It passes everything on as it is. */
export class RecordingProxy {
  readonly #options: ProxyOptions
  #calls: PassedCalls | undefined
  #servers: Server[] = []

  constructor(options: ProxyOptions) {
    this.#options = options
  }

  /**
   * Opens both ports.
   *
   * @throws {ListenError} When a port can't be bound.
   */
  async listen(options: ProxyListenOptions): Promise<Listening> {
    const { host = '127.0.0.1', port = 0, inferencePort = 0 } = options
    const { trainingUrl, inferenceUrl, recorder, ended } = this.#options
    const dispatcher = await dispatcherFor([trainingUrl, inferenceUrl])
    this.#calls = new PassedCalls({ dispatcher, recorder, ended })
    const training = await this.#openPort('training', { ...options, host, port })
    try {
      const inference = await this.#openPort('inference', { ...options, host, port: inferencePort })
      this.#servers = [training, inference]
      const ports = { port: portOf(training), inferencePort: portOf(inference) }
      return { host, ...ports, close: () => this.close() }
    } catch (error) {
      await closePort(training)
      throw error
    }
  }

  /** Stops listening. Open answers get up to a second to finish. */
  async close(): Promise<void> {
    const servers = this.#servers
    this.#servers = []
    await Promise.all(servers.map(closePort))
    await this.#calls?.close()
    this.#calls = undefined
  }

  #openPort(host: Host, options: ProxyListenOptions & { host: string; port: number }) {
    const { trainingUrl, inferenceUrl } = this.#options
    const { origin } = new URL(host === 'training' ? trainingUrl : inferenceUrl)
    return openPort(() => DISCONNECT, host, {
      ...options,
      limits: RECORDING_LIMITS,
      background: this.#options.recorder.background,
      use: [(request, response) => this.#pass({ host, origin, request, response })],
    })
  }

  #pass(call: Pick<PassedCall, 'host' | 'origin' | 'request' | 'response'>): void {
    const { host, request, response } = call
    const path = pathOf(request.url ?? '/')
    if (isControlPath(path.split('?', 1)[0]!)) return refuseControl(host, request, response)
    this.#calls!.pass({
      ...call,
      path,
      ownOrigin: `http://${request.headers.host ?? ''}`,
      unreachable: (why) => `${why}. Check --${host}-url and the network.`,
    })
  }
}

/** A request to a proxy may have the whole URL. */
function pathOf(target: string): string {
  if (target.startsWith('/')) return target
  const path = target.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?]*/i, '')
  return path.startsWith('/') ? path : `/${path.replace(/^\*$/, '')}`
}

function refuseControl(host: Host, request: IncomingMessage, response: ServerResponse): void {
  request.resume()
  const message =
    'This port records calls to the service. It has no control API and no dashboard. Start `svtrain-emulator` to have them.'
  writeError(response, new ApiError(404, message), host)
}

/**
 * Returns connections to the service, through the proxy of the environment if it has one. The user names the service,
 * so it may be on this machine.
 */
export function dispatcherFor(urls: readonly string[]): Promise<Dispatcher> {
  const allowed = urls.map((url) => new URL(url).hostname)
  const outside = new Outside({ allowed, environment })
  return verifiedAgent({ outside, environment, options: PATIENT })
}
