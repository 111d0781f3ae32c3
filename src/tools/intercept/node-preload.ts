import { createRequire } from 'node:module'

/** The versions of Node whose `fetch` and `https` read `NODE_USE_ENV_PROXY` (nodejs.org, `cli.html`). */
const FIRST_WITH_PROXY = { 22: 21, 24: 5 } as const

/**
 * A module in CommonJS that Node loads before a program (`--require`). On versions that do not read the variables of a
 * proxy by themselves, it gives them to `fetch`, and to the `undici` of the program. It does nothing on others.
 */
export const NODE_PRELOAD = `'use strict'
const [major, minor] = process.versions.node.split('.').map(Number)
const first = ${JSON.stringify(FIRST_WITH_PROXY)}[major]
const isNewEnough = major > 24 || (first !== undefined && minor >= first)
if (!isNewEnough) {
  const { EnvHttpProxyAgent, setGlobalDispatcher } = require(${JSON.stringify(undiciFile())})
  setGlobalDispatcher(new EnvHttpProxyAgent())
}
`

/** The file of the library of `fetch` that comes with the emulator. */
function undiciFile(): string {
  return createRequire(import.meta.url).resolve('undici')
}
