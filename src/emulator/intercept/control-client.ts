import type { BodyOf, Call } from '../control/client/call.js'
import type { proxyOperations } from './control-rows.js'
import type { CalledHostState, OpenedProxy } from './control-schemas.js'

export type ProxyRow = (typeof proxyOperations)[number]

/** What `openProxy` accepts. */
export type ProxyWanted = BodyOf<'POST /proxies', ProxyRow>

/** The methods of a client for proxies. */
export type ProxyMethods = ReturnType<typeof proxyMethods>

/** Returns the methods of a client for proxies. A new row needs a method here. */
export function proxyMethods(call: Call<ProxyRow>) {
  return {
    /**
     * Opens a proxy on loopback that answers the real hosts of the service with this world. Run a program that names
     * no address with its variables.
     *
     * @example
     * const { variables } = await client.openProxy()
     * const environment = { ...process.env, ...variables }
     */
    openProxy: (wanted: ProxyWanted = {}): Promise<OpenedProxy> =>
      call('POST /proxies', { body: wanted }),
    /** Returns the hosts that programs called through a proxy of this world, and the outcome. */
    calledHosts: async (): Promise<CalledHostState[]> => (await call('GET /called-hosts')).hosts,
  }
}
