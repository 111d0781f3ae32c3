// The fixtures and matchers for Vitest. Importing this module adds the matchers to `expect`.
import { mkdir, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { cwd, env, stderr } from 'node:process'
import { stripVTControlCharacters } from 'node:util'
import { expect, test as base, type TestAPI } from 'vitest'
import { listenOptions, type ListenOptions } from '../emulator/adapters/listen-options.js'
import { createEmulator, type NodeEmulator } from '../compose/node-emulator.js'
import { emulatorSinkOptions, type EmulatorSinkOptions } from '../compose/emulator-sink.js'
import { nodeEmulatorOptions, type NodeEmulatorOptions } from '../compose/node-runtime.js'
import type { WebhookSink } from '../compose/create-sink.js'
import { matchers, type EmulatorMatchers } from './matchers/matchers.js'
import { clientChecks, warningsIn, type ClientChecks } from '../emulator/testing/client-checks.js'
import { anything, either, nonEmptyText, Options, parts, type Kind } from '../base/text/options.js'
import { EnvironmentError } from '../base/text/web-globals.js'
import { withLimit } from '../base/clock/wall.js'

/** The fixtures of a test, and the settings that it can change with `test.override`. */
export interface EmulatorFixtures {
  /** An emulator for this test alone. It listens on free ports and is closed after the test. */
  emulator: NodeEmulator
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
  /**
   * A folder for the reports of failed tests: one HTML page each. Default: the variable
   * `SVTRAIN_EMULATOR_REPORTS`, or no reports.
   */
  report: string | false | undefined
}

function isForVitest(value: unknown): boolean {
  return typeof value === 'function' || Array.isArray(value)
}

/** Vitest also accepts a function, or a list of a value and its own options, instead of a value. */
function valueOf(options: Options<object>): Kind {
  return either((value) => value === false || isForVitest(value), parts(options))
}

export const fixtureOptions = new Options<EmulatorFixtures>('test.override', {
  emulator: anything,
  emulatorOptions: valueOf(nodeEmulatorOptions),
  listening: valueOf(listenOptions),
  sink: anything,
  sinkOptions: valueOf(emulatorSinkOptions),
  checks: valueOf(clientChecks),
  report: either((value) => value === false || isForVitest(value), nonEmptyText),
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
  report: undefined,
  async emulator({ emulatorOptions, listening, checks, report, task }, use) {
    if (checks !== false) clientChecks.check(checks, 'checks')
    const emulator = createEmulator(emulatorOptions)
    try {
      if (listening !== false) await emulator.listen(listening)
      await use(emulator)
      // Vitest refuses annotations after a test has failed, so the error gets the text.
      const error = task.result?.errors?.at(-1)
      await answered(emulator)
      if (error) {
        const { name, message } = error
        error.message += `\n\n${emulator.trace()}`
        error.message += await reported(report, { emulator, task, name, message })
      } else if (checks !== false) {
        try {
          for (const warning of warningsIn(emulator, checks)) stderr.write(`${warning}\n`)
          emulator.assertClientChecks(checks)
        } catch (failed) {
          const { name, message } = failed as Error
          ;(failed as Error).message += await reported(report, { emulator, task, name, message })
          throw failed
        }
      }
    } finally {
      await emulator.close()
    }
  },
  async sink({ emulator, sinkOptions }, use) {
    await use(emulator.createSink(sinkOptions))
  },
})

interface FailedTest {
  emulator: NodeEmulator
  task: { name: string; id: string; fullTestName?: string }
  /** The name of its error. */
  name: string | undefined
  message: string
}

/**
 * Writes the report of a failed test, if there is a folder for reports. Returns what the message of the
 * test says about it: where it is, or why it could not be written.
 */
async function reported(
  option: string | false | undefined,
  { emulator, task, name: of, message }: FailedTest,
): Promise<string> {
  const folder = option ?? env.SVTRAIN_EMULATOR_REPORTS
  if (!folder) return ''
  const title = task.fullTestName ?? task.name
  const name = title.replaceAll(/[^\w.-]+/g, '-').slice(0, LONGEST_NAME)
  // Tests may have the same name. The id tells them apart, and stays the same in the next run.
  const file = join(folder, `${name}-${task.id.replaceAll(/\W+/g, '-')}.html`)
  try {
    const failure = stripVTControlCharacters(message)
    const page = await emulator.report({ title, failure, ended: of === 'ClientCheckError' })
    await mkdir(folder, { recursive: true })
    await writeFile(file, page)
    return `\n\nReport: ${file}`
  } catch (error) {
    return `\n\nFailed to write the report: ${(error as Error).message}`
  }
}

const LONGEST_NAME = 100

/** Refuses unknown names: Vitest would add a mistyped name as a new fixture. */
const { override } = test as { override?: typeof test.override }
test.override = function (this: unknown, ...args: unknown[]) {
  const [first] = args
  fixtureOptions.check(typeof first === 'string' ? { [first]: args.at(-1) } : first)
  if (!override) throw new EnvironmentError(needsVitest())
  return Reflect.apply(override, this, args) as never
} as typeof test.override

function needsVitest(): string {
  return `test.override needs Vitest 4.1 or later, and this is ${vitestVersion()}. Update Vitest, or call createEmulator with these options in the test.`
}

function vitestVersion(): string {
  try {
    // From the project: a package that is linked may have another Vitest beside it.
    const { version } = createRequire(join(cwd(), 'tests.js'))('vitest/package.json') as {
      version: string
    }
    return version
  } catch {
    return 'an older one'
  }
}

/** Waits a moment for the answers to deliveries, because the trace contains them. */
async function answered({ webhooks }: NodeEmulator): Promise<void> {
  if (webhooks.inFlight > 0) await withLimit(webhooks.idle(), GRACE)
}

const GRACE = 1000

export { expect, test as it }

expect.extend(matchers)

declare module 'vitest' {
  // Extends Vitest's types.
  // oxlint-disable-next-line typescript/no-empty-object-type, typescript/no-explicit-any
  interface Matchers<T = any> extends EmulatorMatchers {}
}
