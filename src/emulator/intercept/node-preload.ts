import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** The versions of Node whose `fetch` and `https` read `NODE_USE_ENV_PROXY` (nodejs.org, `cli.html`). */
const FIRST_WITH_PROXY = { 22: 21, 24: 5 } as const

/**
 * A module in CommonJS that Node loads before a program (`--require`). On versions that do not read the variables of a
 * proxy by themselves, it gives them to `fetch`, to the `undici` of the program, and to the agents that `node:http` and
 * `node:https` use when a program names none. It does nothing on others.
 */
export const NODE_PRELOAD = `'use strict'
const [major, minor] = process.versions.node.split('.').map(Number)
const first = ${JSON.stringify(FIRST_WITH_PROXY)}[major]
const isNewEnough = major > 24 || (first !== undefined && minor >= first)
if (!isNewEnough) {
  const { EnvHttpProxyAgent, setGlobalDispatcher } = require(${JSON.stringify(undiciFile())})
  setGlobalDispatcher(new EnvHttpProxyAgent())
  const http = require('node:http')
  const https = require('node:https')
  const ask = http.request
  const { HTTPS_PROXY: proxy = '', NO_PROXY = '' } = process.env
  const near = NO_PROXY.split(',')
  const tunneling = (Agent) => class extends Agent {
    createConnection(options, done) {
      const { host, port, socketPath } = options
      const isNear = [host.replace(/^\\[|\\]$/g, ''), host + ':' + port, '*'].some((each) => near.includes(each))
      if (proxy === '' || socketPath || isNear) return super.createConnection(options, done)
      const { hostname, port: proxyPort } = new URL(proxy)
      const authority = (host.includes(':') ? '[' + host + ']' : host) + ':' + port
      const asked = ask({
        host: hostname,
        port: proxyPort,
        method: 'CONNECT',
        path: authority,
        headers: { host: authority },
        createConnection: require('node:net').connect,
      })
      asked.once('error', done)
      asked.once('connect', ({ statusCode, statusMessage }, socket, head) => {
        if (statusCode !== 200) {
          socket.destroy()
          return done(new Error('The proxy answered ' + statusCode + ': ' + statusMessage))
        }
        if (head.length > 0) socket.unshift(head)
        done(null, Agent === https.Agent ? super.createConnection({ ...options, socket }) : socket)
      })
      asked.end()
    }
  }
  for (const module of [http, https]) {
    const { options } = module.globalAgent
    module.globalAgent = new (tunneling(module.Agent))(options)
  }
  require('node:module').syncBuiltinESMExports()
}
`

/** The library of `fetch` that comes with the emulator: a file beside this one in the Python package, or a package. */
function undiciFile(): string {
  const beside = fileURLToPath(new URL('undici.cjs', import.meta.url))
  return existsSync(beside) ? beside : createRequire(import.meta.url).resolve('undici')
}
