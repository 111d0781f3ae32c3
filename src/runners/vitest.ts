// The entry of `svtrain-emulator/vitest`. Importing it teaches Vitest's `expect` our matchers.
import { expect, test as base, type TestAPI } from 'vitest'
import { listenOptions, type ListenOptions } from '../adapters/listen.js'
import { createEmulator, type Emulator } from '../compose/node-emulator.js'
import { emulatorSinkOptions, type EmulatorSinkOptions } from '../compose/emulator-sink.js'
import { nodeEmulatorOptions, type NodeEmulatorOptions } from '../compose/node-platform.js'
import type { WebhookSink } from '../compose/create-sink.js'
import { matchers, type EmulatorMatchers } from './matchers/matchers.js'
import { clientChecks, type ClientChecks } from '../testing/client-checks.js'
import { anything, either, Options, parts, type Kind } from '../text/options.js'
import { wallPause } from '../clock/wall.js'

/** What a test is given, and what it may set with `test.override`. */
export interface EmulatorFixtures {
  /** An emulator of the test's own. It listens on free ports, and is closed at the end. */
  emulator: Emulator
  /** How it is created. Default: as `createEmulator()` does, its clock `auto`. */
  emulatorOptions: NodeEmulatorOptions
  /** How it listens; `false`: not at all, it is called by `emulator.fetch` or through MSW. */
  listening: ListenOptions | false
  /** Receives the emulator's webhooks, in process; only there for a test that asks for it. */
  sink: WebhookSink
  /** How the sink takes them; default: all of them, whatever their verdict. */
  sinkOptions: EmulatorSinkOptions
  /** The client checks at the end of a test that passed; `false` for none. Default: all of them. */
  checks: ClientChecks | false
}

/** Vitest accepts a function, or a list of a value and its own options, in place of a value. */
function valueOf(options: Options<object>): Kind {
  const isVitests = (value: unknown): boolean => typeof value === 'function' || Array.isArray(value)
  return either((value) => value === false || isVitests(value), parts(options))
}

export const fixtureOptions = new Options<EmulatorFixtures>('test.override', {
  emulator: anything,
  emulatorOptions: valueOf(nodeEmulatorOptions),
  listening: valueOf(listenOptions),
  sink: anything,
  sinkOptions: valueOf(emulatorSinkOptions),
  checks: valueOf(clientChecks),
})

/**
 * Vitest's `test` with an emulator. At its end, the client checks must pass (`assertClientChecks`). If
 * the test fails, what happened is printed below the error, with the seed.
 */
export const test: TestAPI<EmulatorFixtures> = base.extend<EmulatorFixtures>({
  emulatorOptions: {},
  listening: {},
  checks: {},
  sinkOptions: {},
  async emulator({ emulatorOptions, listening, checks, task }, use) {
    if (checks !== false) clientChecks.check(checks, 'checks')
    const emulator = createEmulator(emulatorOptions)
    try {
      if (listening !== false) await emulator.listen(listening)
      await use(emulator)
      // An annotation would be the place for it, but those are refused once a test has failed.
      const error = task.result?.errors?.at(-1)
      await answered(emulator)
      if (error) error.message += `\n\n${emulator.trace()}`
      else if (checks !== false) emulator.assertClientChecks(checks)
    } finally {
      await emulator.close()
    }
  },
  async sink({ emulator, sinkOptions }, use) {
    await use(emulator.createSink(sinkOptions))
  },
})

/** Vitest registers an unknown fixture as a new one, so a mistyped name would change nothing. */
const { override } = test
test.override = function (this: unknown, ...given: unknown[]) {
  const [first] = given
  fixtureOptions.check(typeof first === 'string' ? { [first]: given.at(-1) } : first)
  return Reflect.apply(override, this, given) as never
} as typeof override

/** Deliveries that have left are answered soon, if at all: what they came to is part of the story. */
async function answered({ webhooks }: Emulator): Promise<void> {
  if (webhooks.inFlight > 0) await Promise.race([webhooks.idle(), wallPause(GRACE)])
}

const GRACE = 1000

export { expect, test as it }

expect.extend(matchers)

declare module 'vitest' {
  // This is how its types are added to.
  // oxlint-disable-next-line typescript/no-empty-object-type, typescript/no-explicit-any
  interface Matchers<T = any> extends EmulatorMatchers {}
}
