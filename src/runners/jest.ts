// The matchers for Jest, with their types.
// The module declaration below extends this module, so it must be imported.
// oxlint-disable-next-line import/no-empty-named-blocks, unicorn/require-module-specifiers
import type {} from 'expect'
import type { EmulatorMatchers } from './matchers/matchers.js'

export { matchers, type EmulatorMatchers } from './matchers/matchers.js'

declare module 'expect' {
  // Extends the types of `@jest/globals`. Those of `@types/jest` are below.
  // oxlint-disable-next-line typescript/no-empty-object-type
  interface Matchers<R extends void | Promise<void>, T = unknown> extends EmulatorMatchers<R> {}
}

declare global {
  // oxlint-disable-next-line typescript/no-namespace
  namespace jest {
    // oxlint-disable-next-line typescript/no-empty-object-type
    interface Matchers<R, T = {}> extends EmulatorMatchers<R> {}
  }
}
