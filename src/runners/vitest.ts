// The fixtures and matchers for Vitest. Importing this module adds the matchers to `expect`.
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

/** The fixtures of a test, and the settings that it can change with `test.override`. */
export interface EmulatorFixtures {
  /** An emulator for this test alone. It listens on free ports and is closed after the test. */
  emulator: Emulator
  /** The options of `createEmulator`. Default: none; the clock is `auto`. */
  emulatorOptions: NodeEmulatorOptions
  /** The options of `listen`. With `false`, the emulator doesn't listen: call `emulator.fetch`, or use MSW. */
  listening: ListenOptions | false
  /** Receives the emulator's webhooks in process. Created only for a test that uses it. */
  sink: WebhookSink
  /** The options of the sink. Default: it accepts every delivery, valid or not. */
  sinkOptions: EmulatorSinkOptions
  /** The client checks after a test that passed. `false` turns them off. Default: all of them. */
  checks: ClientChecks | false
}

/** Vitest also accepts a function, or a list of a value and its own options, instead of a value. */
function valueOf(options: Options<object>): Kind {
  const isForVitest = (value: unknown): boolean =>
    typeof value === 'function' || Array.isArray(value)
  return either((value) => value === false || isForVitest(value), parts(options))
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
 * Vitest's `test` with an emulator and a webhook sink as fixtures. After a test that passed,
 * `assertClientChecks` checks its clients. If a test fails, the message of the error also contains the
 * trace and the seed.
 *
 * @throws {OptionsError} In `test.override` or before the test, when an option is unknown or can't be used.
 * @throws {ClientCheckError} After the test, when a client check fails.
 * @example
 * test('a job fails', async ({ emulator }) => {
 *   await train({ baseUrl: emulator.trainingUrl })
 *   expect(emulator.job()).toHaveFailed()
 * })
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
      // Vitest refuses annotations after a test has failed, so the error gets the text.
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

/** Refuses unknown names: Vitest would add a mistyped name as a new fixture. */
const { override } = test
test.override = function (this: unknown, ...args: unknown[]) {
  const [first] = args
  fixtureOptions.check(typeof first === 'string' ? { [first]: args.at(-1) } : first)
  return Reflect.apply(override, this, args) as never
} as typeof override

/** Waits a moment for the answers to deliveries, because the trace contains them. */
async function answered({ webhooks }: Emulator): Promise<void> {
  if (webhooks.inFlight > 0) await Promise.race([webhooks.idle(), wallPause(GRACE)])
}

const GRACE = 1000

export { expect, test as it }

expect.extend(matchers)

declare module 'vitest' {
  // Extends Vitest's types.
  // oxlint-disable-next-line typescript/no-empty-object-type, typescript/no-explicit-any
  interface Matchers<T = any> extends EmulatorMatchers {}
}
