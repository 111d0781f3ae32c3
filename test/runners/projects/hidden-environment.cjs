// Jest requires its environments.
/* oxlint-disable typescript/no-require-imports, import/no-commonjs */
const { TestEnvironment } = require('jest-environment-node')

const HIDDEN = `
  TextEncoder TextDecoder structuredClone BroadcastChannel ReadableStream WritableStream TransformStream
  fetch Headers Request Response setImmediate clearImmediate
`

/** Hides what jest-environment-jsdom hides, and has its condition of exports. */
module.exports = class extends TestEnvironment {
  constructor(...options) {
    super(...options)
    for (const name of HIDDEN.trim().split(/\s+/)) delete this.global[name]
  }

  exportConditions() {
    return ['browser']
  }
}
