import { EmulatorError } from '../../base/text/emulator-error.js'
import { ApiError } from '../../service/contract/errors.js'
import { AddressError } from '../adapters/routes.js'
import { control } from '../control/row.js'
import { ALLOWED_HOST, isAllowedHost } from './allowed-host.js'
import { calledHosts, openedProxy, proxyRequest } from './control-schemas.js'
import { proxiesFor } from './offered-proxies.js'
import type { WorldProxies } from './world-proxies.js'

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
    const wrong = allowed.find((each) => !isAllowedHost(each))
    if (wrong !== undefined) {
      return new ApiError(
        400,
        `allow_hosts_out takes ${ALLOWED_HOST}, not ${JSON.stringify(wrong)}.`,
      )
    }
    const way = { allowed, allowWith: (host: string) => howToAllow(how, host) }
    if (url === undefined) {
      try {
        return answerOf(await proxies.open(world, { ...way, addresses }))
      } catch (error) {
        if (!(error instanceof AddressError || error instanceof EmulatorError)) throw error
        return new ApiError(400, error.message)
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
