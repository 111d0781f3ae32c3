import type { TLSSocket } from 'node:tls'
import { PassedCalls, PATIENT } from '../../../tools/recording/passed-calls.js'
import type { EndedExchange } from '../../../tools/recording/proxied-exchange.js'
import { Recorder } from '../../../tools/recording/recorder.js'
import { writeText, type InterceptedCall } from '../../../emulator/intercept/answer.js'
import type { Outcome } from '../../../emulator/intercept/called-hosts.js'
import { Outside } from '../../../emulator/intercept/outside.js'
import { addressOf, originOf, Routes, type Route } from '../../../emulator/adapters/routes.js'
import { verifiedAgent } from '../../../emulator/intercept/verified-agent.js'

interface ServiceOptions {
  /** What is recorded. */
  readonly routes: readonly Route[]
  readonly recorder: Recorder
  /** The variables that were set before. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** Called when an exchange has ended. */
  readonly ended: (exchange: EndedExchange) => void
}

/** Answers calls with the real service, and records those to its APIs. */
export class RecordedService {
  readonly #recorded: PassedCalls
  /** Passes on what else a host has, unread: a web application, or another API. */
  readonly #unread: PassedCalls

  private constructor(recorded: PassedCalls, unread: PassedCalls) {
    this.#recorded = recorded
    this.#unread = unread
  }

  static async prepare(options: ServiceOptions): Promise<RecordedService> {
    const { routes, recorder, environment, ended } = options
    // They are what the user wants to call, also if they are on this machine.
    const outside = new Outside({ allowed: new Routes(routes).hostnames, environment })
    const dispatcher = await verifiedAgent({ outside, environment, options: PATIENT })
    const nobody = new Recorder({ trainingUrl: addressOf(routes[0]!), write() {} })
    return new RecordedService(
      new PassedCalls({ dispatcher, recorder, ended }),
      new PassedCalls({ dispatcher, recorder: nobody, ended() {} }),
    )
  }

  readonly answer = (call: InterceptedCall): Outcome | undefined => {
    const { hostname, port, routes, route, path, request, response, failed } = call
    const scheme = (request.socket as Partial<TLSSocket>).encrypted ? 'https' : 'http'
    // Who names an address with http:// sends the key without TLS anyway.
    const isNamedClear = [route ?? routes].flat().every((each) => each.scheme === 'http')
    if (scheme === 'http' && !isNamedClear) {
      failed(`${WITHOUT_TLS}, and was refused`)
      request.resume()
      const text = `svtrain-emulator records ${hostname} over TLS only. ${WITHOUT_TLS}. Call https://${hostname}`
      writeText(response, 403, text)
      return undefined
    }
    const { host, mount } = route ?? { host: 'training', mount: '' }
    const calls = route ? this.#recorded : this.#unread
    calls.pass({
      host,
      origin: originOf({ scheme, hostname, port }),
      mount,
      path: path.slice(mount.length),
      request,
      response,
      unreachable(why) {
        failed(why)
        return `${why}. ${hintFor(why)}`
      },
    })
    return route ? 'answered' : 'passed'
  }

  /** Ends what is still under way. */
  async close(): Promise<void> {
    await Promise.all([this.#recorded.close(), this.#unread.close()])
  }
}

const WITHOUT_TLS = 'A call without TLS would show its key to everybody on the way'

function hintFor(why: string): string {
  return /cert/i.test(why)
    ? 'Its certificate is not trusted, so nothing was sent. If the host is yours, name the file of its certificate authority in SSL_CERT_FILE.'
    : 'Check the address and the network.'
}
