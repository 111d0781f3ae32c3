/**
 * One emulator behind the proxy of `exec --intercept`, and behind a bare `node:https` server with a certificate of the
 * same kind. It sends its parent the addresses.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { hostHandler } from '../../src/emulator/adapters/express.js'
import { createEmulator } from '../../src/index.js'
import { issueCertificate } from '../../src/emulator/intercept/authority.js'
import { createInterception } from '../../src/emulator/intercept/interception.js'
import { routesOf } from '../../src/emulator/intercept/read-route.js'
import { HOSTNAME, type InterceptAddresses } from './intercept-host.js'

const emulator = createEmulator({ clock: 'manual', serveAnyModel: true })
const interception = createInterception({
  routes: routesOf([`inference=https://${HOSTNAME}/v1`]),
  allowed: [],
  environment: {},
  allowWith: (host) => host,
})
const { variables } = await interception.openTo(emulator)
const { authority, server: credentials } = issueCertificate({
  hosts: [HOSTNAME],
  name: 'bench',
  now: Date.now(),
})
const { receive, journal } = emulator
const receiving = { receive, background: journal.background }
const bare = createServer(credentials, hostHandler(emulator.handle, 'inference', receiving))
await new Promise<void>((resolve) => void bare.listen(0, '127.0.0.1', resolve))
const addresses: InterceptAddresses = {
  proxy: {
    port: Number(new URL(variables['HTTPS_PROXY']!).port),
    authority: readFileSync(variables['NODE_EXTRA_CA_CERTS']!, 'utf8'),
  },
  https: { port: (bare.address() as AddressInfo).port, authority },
}
process.send!(addresses)
process.once('SIGTERM', () => void interception.end().then(() => process.exit()))
