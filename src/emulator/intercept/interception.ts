import type { Answer } from './answer.js'
import { CalledHosts, type CalledHost } from './called-hosts.js'
import { answerOf, type InterceptingEmulator } from './emulator-answer.js'
import { InterceptedHosts } from './intercepted-hosts.js'
import { Interceptor, type InterceptorOptions } from './interceptor.js'
import { Outside } from './outside.js'
import { isThisMachine, shownHost, type Route } from '../adapters/routes.js'
import { createTrustFolder } from './trust-folder.js'
import { interceptVariables } from './variables.js'

export interface InterceptSettings extends Pick<InterceptorOptions, 'allowWith' | 'limits'> {
  readonly routes: readonly Route[]
  /** Other hosts that may be called. */
  readonly allowed: readonly string[]
  /** The variables that the commands inherit. */
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** A proxy for one command. */
export interface OpenProxy {
  /** The variables that lead the command through it. */
  readonly variables: Readonly<Record<string, string>>
  close(): Promise<void>
}

/** Leads commands to something that answers in place of the real hosts. They share one certificate authority. */
export interface Interception {
  /** The hosts that are answered. */
  readonly hostnames: readonly string[]
  /** The outcome of the calls of all commands so far, by host. */
  readonly called: readonly CalledHost[]
  /** The addresses without TLS or on this machine that no call came to. Many clients call these without a proxy. */
  readonly notCalled: readonly Route[]
  /** Opens a proxy for one command, which needs keys of its own. */
  open(answer: Answer): Promise<OpenProxy>
  /** Opens a proxy that leads one command to an emulator. `port` is where it listens; default: any free port. */
  openTo(emulator: InterceptingEmulator, port?: number): Promise<OpenProxy>
  /** Closes all proxies, and removes the files. */
  end(): Promise<void>
}

/** Makes a certificate authority, and writes the files that commands need to trust it. */
export function createInterception(settings: InterceptSettings): Interception {
  const { routes, allowed, environment, ...options } = settings
  const called = new CalledHosts()
  const hosts = new InterceptedHosts(routes)
  const outside = new Outside({ allowed, environment })
  const folder = createTrustFolder(hosts.authority, environment)
  const opened = new Set<Interceptor>()
  const open = async (answer: Answer, key?: string, port?: number): Promise<OpenProxy> => {
    const interceptor = new Interceptor({ ...options, hosts, outside, called, answer })
    await interceptor.listen({ port: port ?? 0 })
    opened.add(interceptor)
    const by = { proxy: interceptor.url, routes: hosts.routes, key }
    return {
      variables: interceptVariables(by, folder, environment),
      async close() {
        opened.delete(interceptor)
        await interceptor.close()
      },
    }
  }
  return {
    hostnames: hosts.routes.hostnames,
    get called() {
      return called.all
    },
    get notCalled() {
      const answered = called.all.filter((each) => each.answered > 0).map(({ host }) => host)
      return routes.filter((route) => {
        const isDoubtful = route.scheme === 'http' || isThisMachine(route.hostname)
        return isDoubtful && !answered.includes(shownHost(route))
      })
    },
    open: (answer) => open(answer),
    openTo: (emulator, port) => open(answerOf(emulator), emulator.apiKey, port),
    async end() {
      folder.remove()
      await Promise.all([...opened].map((each) => each.close()))
    },
  }
}
