import type { Emulator } from '../emulator.js'
import type { WorldProxies } from './world-proxies.js'

type LoadProxies = () => Promise<WorldProxies>

const proxiesOf = new WeakMap<Emulator, LoadProxies>()

/** Lets the control API of an emulator open proxies. Most emulators never do. */
export function offerProxies(emulator: Emulator, load: LoadProxies): void {
  let loading: Promise<WorldProxies> | undefined
  proxiesOf.set(emulator, async () => {
    try {
      return await (loading ??= load())
    } catch (error) {
      // What failed is loaded again with the next call.
      loading = undefined
      throw error
    }
  })
}

/** The proxies of an emulator. Undefined in a browser. */
export function proxiesFor(emulator: Emulator): Promise<WorldProxies> | undefined {
  return proxiesOf.get(emulator.whole)?.()
}
