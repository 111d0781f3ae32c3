import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { clockModes } from '../../src/base/clock/clock.js'
import { adversary } from '../../src/service/scenario/schema/adversary.js'
import { judgeMistakes } from '../../src/service/scenario/schema/judge.js'
import { checkNames } from '../../src/service/scenario/check-names.js'
import { eventTypes } from '../../src/service/scenario/event-types.js'
import { entriesOf } from '../../src/cli/command.js'
import { commandGroups } from '../../src/cli/commands/index.js'
import { assertBuilt } from '../cli/command.js'
import { pageOf, pages, root } from '../support/pages.js'

/** Pages that list all of something by hand. Other lists are generated: reference.test.ts. */

/** Returns the names that a page marks as code. */
function codesOf(file: string): string[] {
  return Array.from(pageOf(file).text.matchAll(/`([^`\n]+)`/g), ([, code]) => code!)
}

describe('hand-written lists are complete', () => {
  it.each<[what: string, file: string, names: readonly string[]]>([
    ['clock', 'docs/explain/clocks.md', clockModes],
    ['client check', 'docs/how-to/testing.md', checkNames],
    ['webhook event', 'docs/how-to/webhooks.md', eventTypes],
    [
      'thing that goes wrong with deliveries',
      'docs/how-to/webhooks.md',
      adversary.options.map(({ shape }) => shape.do.value),
    ],
    ['mistake of a judge', 'docs/how-to/chat.md', judgeMistakes],
    ['dependency', 'src/README.md', Object.keys(manifest.dependencies)],
  ])('every %s is in %s', (_what, file, names) => {
    expect(names.length).toBeGreaterThan(2)
    const codes = codesOf(file)
    const missing = names.filter((name) => !codes.includes(name))
    expect(missing, `Write it as code in ${file}`).toEqual([])
  })

  describe('bundled packages', () => {
    beforeAll(assertBuilt)

    it('every bundled package that we chose is in src/README.md', () => {
      const licenses = readFileSync(join(root, 'dist', 'THIRD-PARTY-LICENSES.txt'), 'utf8')
      const bundled = Object.keys(manifest.devDependencies).filter((name) => {
        return new RegExp(`^${name} \\d`, 'm').test(licenses)
      })
      expect(bundled).toContain('express')
      const codes = codesOf('src/README.md')
      expect(bundled.filter((name) => !codes.includes(name))).toEqual([])
    })
  })
})

it('every command is on a page of its task', () => {
  const commands = entriesOf(commandGroups).flatMap(({ name, load, commands: more = [] }) => {
    const own = load ? [name] : []
    return [...own, ...more.map((each) => each.name)]
  })
  expect(commands).toEqual(expect.arrayContaining(['exec', 'sink', 'sink verify', 'snapshot show']))
  const written = pages().filter(
    ({ file, isGenerated }) => file.startsWith('docs/') && !isGenerated,
  )
  const text = written.map((page) => page.text).join('\n')
  const missing = commands.filter(
    (name) => !new RegExp(`svtrain-emulator\\W+${name}\\b`).test(text),
  )
  expect(missing, 'Show the command on the page in docs/how-to/ whose task it is for').toEqual([])
})

it('the Python package knows the same events', () => {
  const source = readFileSync(join(root, 'python/src/svtrain_emulator/_verdicts.py'), 'utf8')
  const [, listed = ''] = /^EVENTS = \(([^)]*)\)/m.exec(source) ?? []
  expect(Array.from(listed.matchAll(/"(\w+)"/g), ([, name]) => name)).toEqual(eventTypes)
})

it('the README says what the package says about Node', () => {
  expect(manifest.engines.node).toBe('^20.19.0 || ^22.12.0 || >=24.0.0')
  expect(pageOf('README.md').text).toMatch(/Node 20\.19.*, 22\.12.* or 24/)
})
