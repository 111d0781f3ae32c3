/**
 * What Node and browsers both have, and an environment of jsdom hides although it runs in Node. Jest has such an
 * environment. Each entry point imports this module before all others, because they and MSW use these when they load.
 */

import { EmulatorError } from './emulator-error.js'

const NEEDED = [
  'TextEncoder',
  'TextDecoder',
  'ReadableStream',
  'WritableStream',
  'TransformStream',
  'BroadcastChannel',
  'structuredClone',
  'fetch',
  'Headers',
  'Request',
  'Response',
] as const

/** What only Node has. Its own modules use these. */
const OF_NODE = ['setImmediate', 'clearImmediate'] as const

type Globals = Record<string, unknown> & { process?: Partial<NodeJS.Process> }

/** Thrown where the environment, or the test runner, lacks what the package needs. Code `SVTRAIN_ENVIRONMENT`. */
export class EnvironmentError extends EmulatorError {
  override readonly name = 'EnvironmentError'
  readonly code = 'SVTRAIN_ENVIRONMENT'
}

/**
 * Adds what the environment lacks.
 *
 * @throws {EnvironmentError} When Node does not have it either.
 */
export function completeGlobals(here: Globals): void {
  const lacks = (name: string): boolean => here[name] === undefined
  const wanted = [...NEEDED, ...OF_NODE].filter(lacks)
  if (wanted.length === 0) return
  const vm = here.process?.getBuiltinModule?.('node:vm')
  const outside = (vm?.runInThisContext('globalThis') ?? {}) as Globals
  for (const name of wanted) {
    if (outside[name] !== undefined) {
      Object.defineProperty(here, name, {
        value: outside[name],
        writable: true,
        configurable: true,
      })
    }
  }
  const missing = NEEDED.filter(lacks)
  if (missing.length === 0) return
  throw new EnvironmentError(
    `Failed to load: this environment has no ${missing.join(', ')}. In Jest, begin the file with the comment /** @jest-environment node */, or use jest-fixed-jsdom.`,
  )
}

completeGlobals(globalThis)
