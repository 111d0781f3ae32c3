import type { Emulator } from '../emulator.js'
import { CalledHosts } from './called-hosts.js'
import { answerOf } from './emulator-answer.js'
import { InterceptedHosts } from './intercepted-hosts.js'
import { Interceptor } from './interceptor.js'
import { Outside } from './outside.js'
import { routesOf } from './read-route.js'
import { createTrustFolder } from './trust-folder.js'
import { interceptVariables } from './variables.js'

type Variables = Readonly<Record<string, string | undefined>>

/** Where the calls through a proxy go. */
interface Way {
  /** Other hosts that may be called. */
  readonly allowed: readonly string[]
  /** Says how to allow a host. */
  readonly allowWith: (hostname: string) => string
}

interface ProxyOptions extends Way {
  /** Addresses of APIs. Empty: those of the documented service. */
  readonly addresses: readonly string[]
  /** Default: loopback, and a free port. */
  readonly listen?: { readonly host: string; readonly port: number }
  /** What clients on other machines have to send. Default: nothing. */
  readonly password?: string | undefined
  /** The folder for the certificates. Default: a temporary one. */
  readonly folder?: string | undefined
  /** The variables that programs inherit, as far as they are known here. Default: none. */
  readonly inherited?: Variables
}

/** A proxy that is open, and leads to a world. */
export interface OpenWorldProxy {
  readonly url: string
  /** The variables that lead a program through it. */
  readonly variables: Readonly<Record<string, string>>
  /** The folder with the certificates. */
  readonly folder: string
}

/** What a proxy leads to now. */
interface Led extends Pick<Way, 'allowWith'> {
  readonly world: Emulator
  readonly outside: Outside
}

interface WorldProxy {
  readonly opened: OpenWorldProxy
  readonly lead: (world: Emulator, way: Way) => void
  readonly close: () => Promise<void>
}

/**
 * Proxies that lead programs to the worlds of an emulator, whatever key they send. A proxy can be led to another world:
 * a program that reads its variables once still reaches the world of the test that runs.
 */
export class WorldProxies {
  readonly #emulator: Emulator
  readonly #environment: Variables
  readonly #open = new Map<string, WorldProxy>()
  readonly #called = new WeakMap<Emulator, CalledHosts>()

  /**
   * They close with the emulator.
   *
   * @param environment The variables of this process: which proxy leads outside, and which certificates are trusted.
   */
  constructor(emulator: Emulator, environment: Variables) {
    this.#emulator = emulator
    this.#environment = environment
    emulator.onClose(async () => {
      await Promise.all([...this.#open.values()].map((proxy) => proxy.close()))
    })
  }

  /**
   * Opens a proxy that leads to a world.
   *
   * @throws {Error} When an address or a folder cannot be used.
   * @throws {ListenError} When the port can't be bound.
   */
  async open(world: Emulator, options: ProxyOptions): Promise<OpenWorldProxy> {
    const { addresses, listen, password, folder, inherited = {} } = options
    const { journal, basePath } = this.#emulator
    const calledOf = (each: Emulator): CalledHosts => this.calledOf(each)
    const hosts = new InterceptedHosts(routesOf(addresses))
    const environment = this.#environment
    let led: Led
    const lead = (to: Emulator, { allowed, allowWith }: Way): void => {
      // A program that names no address has the names of models of its providers.
      to.serveAnyModel()
      led = { world: to, allowWith, outside: new Outside({ allowed, environment }) }
    }
    lead(world, options)
    const interceptor = new Interceptor({
      hosts,
      answer: answerOf({
        journal,
        basePath,
        handle: (host, request) => led.world.handle(host, request),
        receive: (host, request) => led.world.receive(host, request),
      }),
      get outside() {
        return led.outside
      },
      get called() {
        return calledOf(led.world)
      },
      allowWith: (host) => led.allowWith(host),
      password,
    })
    await interceptor.listen(listen)
    try {
      const trust = createTrustFolder(hosts.authority, environment, folder)
      const { url } = interceptor
      const by = { proxy: url, routes: hosts.routes, key: world.apiKey }
      const variables = interceptVariables(by, trust, inherited)
      const opened: OpenWorldProxy = { url, variables, folder: trust.path }
      this.#open.set(url, {
        opened,
        lead,
        close() {
          trust.remove()
          return interceptor.close()
        },
      })
      return opened
    } catch (error) {
      await interceptor.close()
      throw error
    }
  }

  /** Leads a proxy to another world. Undefined if it is not open. */
  lead(url: string, world: Emulator, way: Way): OpenWorldProxy | undefined {
    const proxy = this.#open.get(url)
    proxy?.lead(world, way)
    return proxy?.opened
  }

  /** The hosts that were called on the way to a world. */
  calledOf(world: Emulator): CalledHosts {
    const called = this.#called.get(world) ?? new CalledHosts()
    this.#called.set(world, called)
    return called
  }
}
