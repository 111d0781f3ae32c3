/**
 * One emulator behind the proxy of `exec --intercept`, and behind a bare `node:https` server with a certificate of the
 * same kind. It sends its parent the addresses.
 */
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { hostHandler } from '../../src/emulator/adapters/express.js'
import { createEmulator } from '../../src/index.js'
import { issueCertificate } from '../../src/tools/intercept/authority.js'
import { Interceptor } from '../../src/tools/intercept/interceptor.js'
import { Outside } from '../../src/tools/intercept/outside.js'
import { readRoute } from '../../src/tools/intercept/routes.js'
import { HOSTNAME, type InterceptAddresses } from './intercept-host.js'

const emulator = createEmulator({ clock: 'manual', serveAnyModel: true })
const interceptor = new Interceptor({
  emulator,
  routes: [readRoute(`inference=https://${HOSTNAME}/v1`)],
  outside: new Outside({ allowed: [], environment: {} }),
  allowWith: (host) => host,
})
await interceptor.listen()
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
  proxy: { port: Number(new URL(interceptor.url).port), authority: interceptor.authority },
  https: { port: (bare.address() as AddressInfo).port, authority },
}
process.send!(addresses)
process.once('SIGTERM', () => process.exit())
