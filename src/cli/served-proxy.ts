import { ListenError } from '../emulator/adapters/bind.js'
import type { Emulator } from '../emulator/emulator.js'
import { proxiesFor } from '../emulator/intercept/offered-proxies.js'
import type { OpenWorldProxy } from '../emulator/intercept/world-proxies.js'
import type { Environment } from './environment.js'
import { DEFAULT_PROXY_PORT } from './options/serve.js'
import type { Settings } from './options/settings.js'
import { onFreePorts } from './ports.js'
import { UsageError } from './usage-error.js'

/**
 * Opens the proxy that the settings ask for. It closes with the emulator.
 *
 * @throws {UsageError} When the folder for the certificates cannot be used.
 * @throws {ListenError} When the chosen port is taken.
 */
export async function openServedProxy(
  emulator: Emulator,
  { proxy, host }: Pick<Settings, 'proxy' | 'host'>,
  environment: Environment,
): Promise<OpenWorldProxy | undefined> {
  if (!proxy) return undefined
  const { addresses, allowed, folder, port: chosen } = proxy
  const proxies = (await proxiesFor(emulator))!
  const { allowWith } = await import('./run/interception.js')
  const options = { addresses, allowed, allowWith, folder, inherited: environment }
  return onFreePorts(host, [{ chosen, usual: DEFAULT_PROXY_PORT }], async (port) => {
    try {
      const password = emulator.controlToken
      return await proxies.open(emulator, { ...options, listen: { host, port }, password })
    } catch (error) {
      throw error instanceof ListenError ? error : new UsageError((error as Error).message)
    }
  })
}
