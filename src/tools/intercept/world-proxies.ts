import { env as inherited } from 'node:process'
import type { Emulator } from '../../emulator/emulator.js'
import { CalledHosts } from './called-hosts.js'
import { answerOf } from './emulator-answer.js'
import { InterceptedHosts } from './intercepted-hosts.js'
import { Interceptor } from './interceptor.js'
import { Outside } from './outside.js'
import { routesOf } from './read-route.js'
import { createTrustFolder, type TrustFolder } from './trust-folder.js'
import { interceptVariables } from './variables.js'

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
  readonly environment?: Readonly<Record<string, string | undefined>>
}

/** A proxy that is open. */
export interface OpenProxy {
  readonly url: string
  /** The variables that lead a program through it. */
  readonly variables: Readonly<Record<string, string>>
}

/**
 * Proxies that lead programs to the worlds of an emulator, whatever key they send. A proxy can be led to another world:
 * a program that reads its variables once still reaches the world of the test that runs.
 */
export class WorldProxies {
  readonly #emulator: Emulator
  readonly #open = new Map<string, WorldProxy>()
  readonly #called = new WeakMap<Emulator, CalledHosts>()

  /** They close with the emulator. */
  constructor(emulator: Emulator) {
    this.#emulator = emulator
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
  async open(world: Emulator, options: ProxyOptions): Promise<OpenProxy> {
    const { allowed, allowWith } = options
    const proxy = new WorldProxy(
      this.#emulator,
      { world, allowed, allowWith },
      { ...options, calledOf: (each) => this.calledOf(each) },
    )
    const opened = await proxy.open()
    this.#open.set(opened.url, proxy)
    return opened
  }

  /** Leads a proxy to another world. Undefined if it is not open. */
  lead(url: string, world: Emulator, way: Way): OpenProxy | undefined {
    return this.#open.get(url)?.lead({ world, ...way })
  }

  /** The hosts that were called on the way to a world. */
  calledOf(world: Emulator): CalledHosts {
    const called = this.#called.get(world) ?? new CalledHosts()
    this.#called.set(world, called)
    return called
  }
}

interface WorldProxyParts extends ProxyOptions {
  readonly calledOf: (world: Emulator) => CalledHosts
}

class WorldProxy {
  readonly #hosts: InterceptedHosts
  readonly #interceptor: Interceptor
  readonly #parts: WorldProxyParts
  #way: Way & { readonly world: Emulator }
  #outside: Outside
  #folder: TrustFolder | undefined

  constructor(
    { journal, basePath }: Emulator,
    way: Way & { readonly world: Emulator },
    parts: WorldProxyParts,
  ) {
    const { addresses, password, calledOf } = parts
    this.#parts = parts
    this.#way = way
    this.#outside = outsideFor(way)
    const world = (): Emulator => this.#way.world
    const outside = (): Outside => this.#outside
    this.#hosts = new InterceptedHosts(routesOf(addresses))
    this.#interceptor = new Interceptor({
      hosts: this.#hosts,
      answer: answerOf({
        journal,
        basePath,
        handle: (host, request) => world().handle(host, request),
        receive: (host, request) => world().receive(host, request),
      }),
      get outside() {
        return outside()
      },
      get called() {
        return calledOf(world())
      },
      allowWith: (host) => this.#way.allowWith(host),
      password,
    })
  }

  async open(): Promise<OpenProxy> {
    const { listen, folder } = this.#parts
    await this.#interceptor.listen(listen)
    try {
      this.#folder = createTrustFolder(this.#hosts.authority, inherited, folder)
    } catch (error) {
      await this.close()
      throw error
    }
    return this.#opened
  }

  lead(way: Way & { readonly world: Emulator }): OpenProxy {
    this.#way = way
    this.#outside = outsideFor(way)
    return this.#opened
  }

  get #opened(): OpenProxy {
    const { url } = this.#interceptor
    const { environment = {} } = this.#parts
    return { url, variables: interceptVariables(url, this.#folder!, environment) }
  }

  async close(): Promise<void> {
    this.#folder?.remove()
    await this.#interceptor.close()
  }
}

function outsideFor({ allowed }: Way): Outside {
  return new Outside({ allowed, environment: inherited })
}
