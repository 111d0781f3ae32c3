import { isIP } from 'node:net'
import { createSecureContext, type SecureContext } from 'node:tls'
import { wallNow } from '../../base/clock/wall.js'
import { issueCertificate } from './authority.js'
import { Routes, type Route } from '../adapters/routes.js'

/** The hosts that are intercepted, with a certificate for them. Several proxies can share it. */
export class InterceptedHosts {
  /** The certificate of the authority, in PEM. Clients have to trust it. */
  readonly authority: string
  /** What a server needs to speak TLS in place of the hosts. */
  readonly context: SecureContext
  readonly routes: Routes

  /** Makes a certificate authority for these hosts alone. */
  constructor(routes: readonly Route[]) {
    this.routes = new Routes(routes)
    const named = this.routes.hostnames.filter((host) => isIP(host) === 0)
    // An authority that names no host at all could issue certificates for each.
    const hosts = named.length > 0 ? named : ['localhost']
    const issued = issueCertificate({ hosts, name: 'svtrain-emulator', now: wallNow() })
    this.authority = issued.authority
    this.context = createSecureContext(issued.server)
  }
}
