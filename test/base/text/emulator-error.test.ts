import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as assertEntry from '../../../src/assert.js'
import * as browser from '../../../src/browser.js'
import * as client from '../../../src/client.js'
import * as explore from '../../../src/explore.js'
import * as index from '../../../src/index.js'
import * as jest from '../../../src/jest.js'
import * as msw from '../../../src/msw.js'
import { EmulatorError } from '../../../src/base/text/emulator-error.js'
import * as vitest from '../../../src/vitest.js'
import * as webhooks from '../../../src/webhooks.js'

const SOURCES = join(import.meta.dirname, '../../../src')

/** Errors that never leave the package, and those of the dashboard, which runs in a browser. */
const INTERNAL = [
  'NoAnswerError',
  'CountError',
  'CommandError',
  'PlatformError',
  'ReplayError',
  'TemplateError',
  'ToolError',
]

interface Declared {
  file: string
  name: string
  base: string
  /** The literal of its `name` property. */
  called: string | undefined
  body: string
}

function declaredErrors(): Declared[] {
  return readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.startsWith('dashboard'))
    .flatMap((file) => {
      const text = readFileSync(join(SOURCES, file), 'utf8')
      const declared = /^(?:export )?class (\w+Error) extends (\w+) \{\n([\s\S]*?)\n\}/gm
      return [...text.matchAll(declared)].map(([, name, base, body]) => {
        const called = /override readonly name = '(\w+)'/.exec(body!)?.[1]
        return { file, name: name!, base: base!, called, body: body! }
      })
    })
    .filter(({ name }) => !INTERNAL.includes(name))
}

describe('every error class', () => {
  const declared = declaredErrors()

  it.each(declared.map((each) => [each.name, each] as const))(
    '%s derives from EmulatorError',
    (_, each) => {
      expect(each.base).toBe('EmulatorError')
      expect(each.called).toBe(each.name)
    },
  )

  it('has codes that no other class has', () => {
    const codes = Object.fromEntries(
      declared.map(({ name, body }) => {
        const type = /readonly code(?: =|:) (.*)/.exec(body)?.[1] ?? ''
        const suffixes = [...type.matchAll(/'([A-Z_]+)'/g)].map(([, code]) => code!)
        const prefix = /`(SVTRAIN_\w+_)\$\{/.exec(type)?.[1] ?? ''
        return [name, suffixes.map((suffix) => prefix + suffix).sort()]
      }),
    )
    expect(codes).toMatchInlineSnapshot(`
      {
        "AlreadyListeningError": [
          "SVTRAIN_ALREADY_LISTENING",
        ],
        "ArrangeError": [
          "SVTRAIN_CANNOT_ARRANGE",
        ],
        "BudgetError": [
          "SVTRAIN_BUDGET",
        ],
        "ClientCheckError": [
          "SVTRAIN_CONDUCT",
        ],
        "ControlError": [
          "SVTRAIN_CONTROL_REFUSED",
        ],
        "CrashNeedsFetchError": [
          "SVTRAIN_CRASH_NEEDS_FETCH",
        ],
        "DataFolderError": [
          "SVTRAIN_DATA_DAMAGED",
          "SVTRAIN_DATA_IN_USE",
          "SVTRAIN_DATA_TOO_LARGE",
          "SVTRAIN_DATA_UNUSABLE",
        ],
        "EnvironmentError": [
          "SVTRAIN_ENVIRONMENT",
        ],
        "ExploreError": [
          "SVTRAIN_EXPLORE",
        ],
        "IllegalMoveError": [
          "SVTRAIN_ILLEGAL_MOVE",
        ],
        "IsolatedDataError": [
          "SVTRAIN_ISOLATED_DATA",
        ],
        "ListenError": [
          "SVTRAIN_CANNOT_LISTEN",
          "SVTRAIN_PORT_TAKEN",
        ],
        "NoSuchJobError": [
          "SVTRAIN_NO_SUCH_JOB",
        ],
        "NoSuchRequestError": [
          "SVTRAIN_NO_SUCH_REQUEST",
        ],
        "NoTrialError": [
          "SVTRAIN_NO_TRIAL",
        ],
        "NotFoundError": [
          "SVTRAIN_NOT_FOUND",
        ],
        "NotIsolatedError": [
          "SVTRAIN_NOT_ISOLATED",
        ],
        "NotTextError": [
          "SVTRAIN_NOT_TEXT",
        ],
        "OptionsError": [
          "SVTRAIN_OPTIONS",
        ],
        "PendingError": [
          "SVTRAIN_PENDING",
        ],
        "PricesError": [
          "SVTRAIN_PRICES",
        ],
        "RealTimeError": [
          "SVTRAIN_REAL_TIME",
        ],
        "RecordingError": [
          "SVTRAIN_RECORDING",
        ],
        "RemovedError": [
          "SVTRAIN_REMOVED",
        ],
        "ScenarioError": [
          "SVTRAIN_BAD_SCENARIO",
          "SVTRAIN_UNKNOWN_SCENARIO",
        ],
        "SettleError": [
          "SVTRAIN_NOT_SETTLED",
        ],
        "SinkAttachedError": [
          "SVTRAIN_SINK_ATTACHED",
        ],
        "SinkError": [
          "SVTRAIN_NOT_RECEIVED",
          "SVTRAIN_UNEXPECTED_DELIVERY",
        ],
        "SnapshotError": [
          "SVTRAIN_SNAPSHOT_DAMAGED",
          "SVTRAIN_SNAPSHOT_INVALID",
          "SVTRAIN_SNAPSHOT_ISOLATED",
          "SVTRAIN_SNAPSHOT_SCENARIO",
          "SVTRAIN_SNAPSHOT_SEED",
          "SVTRAIN_SNAPSHOT_TAKEN",
          "SVTRAIN_SNAPSHOT_TOO_LARGE",
          "SVTRAIN_SNAPSHOT_VERSION",
        ],
        "UnknownEventError": [
          "SVTRAIN_UNKNOWN_EVENT",
        ],
        "UnknownOperationError": [
          "SVTRAIN_UNKNOWN_OPERATION",
        ],
        "UnreachableError": [
          "SVTRAIN_UNREACHABLE",
        ],
        "UsageError": [
          "SVTRAIN_USAGE",
        ],
      }
    `)
    const all = Object.values(codes).flat()
    expect(new Set(all).size).toBe(all.length)
  })
})

it.each(
  Object.entries({
    index,
    browser,
    client,
    webhooks,
    msw,
    vitest,
    jest,
    explore,
    assert: assertEntry,
  }),
)('the entry %s exports only error classes that derive from EmulatorError', (_, entry) => {
  const classes = Object.values(entry).filter((value) => {
    return typeof value === 'function' && value.prototype instanceof Error
  })
  const others = classes.filter((each) => {
    return each !== EmulatorError && !(each.prototype instanceof EmulatorError)
  })
  expect(others).toEqual([])
  if (classes.length > 0) expect(classes).toContain(EmulatorError)
})

it('an error has the name and the code that its class declares', () => {
  const { clock } = index.createEmulator({ clock: 'real' })
  expect(() => clock.advance('1s')).toThrow(
    expect.objectContaining({ name: 'RealTimeError', code: 'SVTRAIN_REAL_TIME' }),
  )
  expect(() => clock.advance('1s')).toThrow(index.EmulatorError)
})
