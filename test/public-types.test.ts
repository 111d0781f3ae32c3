import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { assertBuilt } from './cli/command.js'
import { problemsIn } from './support/compiled.js'
import { root } from './support/pages.js'

/** The declarations of the package, which editors complete from: only what users need. */

beforeAll(assertBuilt)

const folder = join(root, 'dist', 'types', 'src')
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.d.ts'))
  .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))

it('have no internal member', () => {
  const tagged = files.filter(({ text }) => text.includes('@internal'))
  expect(tagged.map(({ name }) => name)).toEqual([])
  const emulator = files.find(({ name }) => name === join('emulator', 'emulator.d.ts'))!
  expect(emulator.text).toMatch(/^ {4}settle\(/m)
  const internal = ['engine', 'transport', 'controlAccess', 'servedAt', 'guardControl', 'attach']
  for (const member of internal) {
    expect(emulator.text).not.toMatch(new RegExp(`^ {4}(?:get |readonly )*${member}\\b`, 'm'))
  }
})

it('show no constructor of a class that functions create', () => {
  const shown = files.flatMap(({ name, text }) => {
    const classes = text.matchAll(/^(?:export )?declare (?:abstract )?class (.*) \{\n([^]*?)^\}/gm)
    return Array.from(classes, ([, head = '', body = '']) => ({ name, head, body }))
  })
  expect(shown.map(({ head }) => head)).toContain('WebhookSink extends Sink')
  const constructible = shown.filter(({ head, body }) => {
    if (head.includes('Error')) return false
    return !head.includes(' extends ') && !/^ {4}protected constructor\(\);$/m.test(body)
  })
  expect(constructible).toEqual([])
})

it('contain no class that users never meet', () => {
  const documented = readdirSync(join(root, 'docs', 'reference', 'api'))
    .map((name) => readFileSync(join(root, 'docs', 'reference', 'api', name), 'utf8'))
    .join('\n')
  const classes = files.flatMap(({ text }) =>
    Array.from(text.matchAll(/^(?:export )?declare (?:abstract )?class (\w+)/gm), ([, of]) => of!),
  )
  const unknown = classes.filter((name) => !new RegExp(`^#+ .*\\b${name}\\b`, 'm').test(documented))
  // `Emulator` is exported under that name, and has base classes. The next is that of WebhookSink. The last is part of
  // the schemas of the control API.
  const known = ['EmulatorWithTools', 'ListeningEmulator', 'NodeEmulator', 'Sink', 'Reader']
  expect(unknown).toEqual(known.filter((name) => unknown.includes(name)))
})

it('are complete: the compiler finds every name in them', { timeout: 120_000 }, () => {
  const paths = files.map(({ name }) => join(folder, name))
  expect(problemsIn(paths, { skipLibCheck: false })).toEqual([])
})
