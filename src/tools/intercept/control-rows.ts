import { ApiError } from '../../service/contract/errors.js'
import { control } from '../../emulator/control/row.js'
import type { Emulator } from '../../emulator/emulator.js'
import { calledHosts, openedProxy, proxyRequest } from './control-schemas.js'
import type { WorldProxies } from './world-proxies.js'

type LoadProxies = () => Promise<WorldProxies>

const proxiesOf = new WeakMap<Emulator, LoadProxies>()

/** Lets the control API of an emulator open proxies. Most emulators never do. */
export function offerProxies(emulator: Emulator, load: LoadProxies): void {
  let loading: Promise<WorldProxies> | undefined
  proxiesOf.set(emulator, () => (loading ??= load()))
}

/** The proxies of an emulator. Undefined in a browser. */
export function proxiesFor(emulator: Emulator): Promise<WorldProxies> | undefined {
  return proxiesOf.get(emulator.whole)?.()
}

const openProxy = control({
  id: 'openProxy',
  method: 'POST',
  path: '/_emulator/proxies',
  summary: 'Opens a proxy that leads programs from the real hosts of the service to this world',
  refusals: [404, 409],
  body: proxyRequest,
  response: openedProxy,
  async run({ emulator: world, body }) {
    const proxies = await proxiesFor(world)
    if (!proxies) return new ApiError(409, 'An emulator in a browser has no proxy.')
    const { proxy_url: url, addresses = [], allow_hosts_out: allowed = [], allow_with: how } = body
    const way = { allowed, allowWith: (host: string) => howToAllow(how, host) }
    if (url === undefined) {
      try {
        return answerOf(await proxies.open(world, { ...way, addresses }))
      } catch (error) {
        return new ApiError(400, (error as Error).message)
      }
    }
    const led = proxies.lead(url, world, way)
    if (led) return answerOf(led)
    return new ApiError(404, `No proxy is open at ${url}. Without proxy_url, a new one is opened.`)
  },
})

/** What an error says about a host that is not allowed. */
function howToAllow(how = 'allow_hosts_out of POST /_emulator/proxies', host: string): string {
  return how.replaceAll('{host}', host)
}

function answerOf({ url, variables }: Awaited<ReturnType<WorldProxies['open']>>) {
  return { proxy_url: url, variables: { ...variables } }
}

const listCalledHosts = control({
  id: 'listCalledHosts',
  method: 'GET',
  path: '/_emulator/called-hosts',
  summary: 'The hosts that programs called through a proxy of this world, and the outcome',
  response: calledHosts,
  async run({ emulator: world }) {
    const proxies = await proxiesFor(world)
    return { hosts: proxies?.calledOf(world).all ?? [] }
  },
})

/** The rows of proxies in the control API. */
export const proxyOperations = [openProxy, listCalledHosts]
