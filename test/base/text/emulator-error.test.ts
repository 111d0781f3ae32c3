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
    // docs/reference/errors.md has each code with its class, and `npm run generate` reads them as well.
    const codes = declared.flatMap(({ body }) => {
      const type = /readonly code(?: =|:) (.*)/.exec(body)?.[1] ?? ''
      const prefix = /`(SVTRAIN_\w+_)\$\{/.exec(type)?.[1] ?? ''
      return Array.from(type.matchAll(/'([A-Z_]+)'/g), ([, suffix]) => `${prefix}${suffix}`)
    })
    expect(codes.length).toBeGreaterThanOrEqual(declared.length)
    expect(new Set(codes).size).toBe(codes.length)
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
