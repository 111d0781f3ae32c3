import { isLoopback } from '../text/authority.js'
import type { ControlAccess } from '../emulator/emulator.js'
import { newSecret } from '../random/secret.js'

interface Bound {
  /** The address that is bound. */
  host: string
  controlToken?: string | undefined
  allowedHosts?: readonly string[] | undefined
}

/**
 * Who may use the control API of ports bound so. Where other machines reach them, a token is needed to
 * change anything; one is made up where none is given.
 */
export function controlAccess({ host, controlToken, allowedHosts }: Bound): ControlAccess {
  const beyondLoopback = !isLoopback(host)
  const token = controlToken ?? (beyondLoopback ? newSecret() : undefined)
  return { token, allowedHosts, beyondLoopback }
}
