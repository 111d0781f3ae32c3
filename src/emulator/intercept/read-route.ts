import { didYouMean } from '../../base/text/nearest.js'
import { INTERCEPTED_APIS } from '../../base/text/vendor/hosts.js'
import { AddressError, documentedRoutes, routeFor, type Route } from '../adapters/routes.js'

/** Stands for all addresses of the documented service. */
const DOCUMENTED = 'documented'

/**
 * The routes of these addresses, such as `training=https://api.example.test/v1`, or `documented` for those of the
 * documented service. Without any: those of the documented service.
 */
export function routesOf(addresses: readonly string[]): Route[] {
  if (addresses.length === 0) return documentedRoutes()
  return addresses.flatMap((address) => {
    return address === DOCUMENTED ? documentedRoutes() : readRoute(address)
  })
}

/**
 * Reads `training=https://api.example.test/v1`.
 *
 * @throws {AddressError} When it is not a known API with an address. The message says what is allowed.
 */
export function readRoute(text: string): Route {
  const [, name = '', address] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  const api = INTERCEPTED_APIS.find((each) => each === name)
  if (api === undefined || address === undefined) {
    const wrong = address === undefined ? text : name
    const hint = didYouMean(wrong, [...INTERCEPTED_APIS, DOCUMENTED])
    throw new AddressError(
      `${JSON.stringify(text)} is not an API and its address, such as training=https://api.example.test/v1. The APIs are ${INTERCEPTED_APIS.join(', ')}; ${DOCUMENTED} stands for all addresses of the documented service.${hint}`,
    )
  }
  return routeFor(api, address)
}
