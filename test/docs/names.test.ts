import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import { builtInScenarios, createEmulator } from '../../src/index.js'
import { operations } from '../../src/compose/control-table.js'
import { entriesOf, type Entry } from '../../src/cli/command.js'
import { commandGroups } from '../../src/cli/commands/index.js'
import { text } from '../cli/parsed.js'
import { blocksOf, pages, proseOf, root, type Page } from '../support/pages.js'
import { commandsOf } from './session.js'

/** Names in the text of pages exist: commands, options, calls, members of the emulator, files. */

const written = pages().filter(({ isGenerated }) => !isGenerated)

/** Returns the texts that a page marks as code, with those of its blocks of commands. */
function codesOf(page: Page): string[] {
  const inline = Array.from(proseOf(page).matchAll(/`([^`\n]+)`/g), ([, code]) => code!)
  const blocks = blocksOf(page).filter(({ language }) => language === 'sh')
  return [...inline, ...blocks.flatMap(({ code }) => commandsOf(code))]
}

/** What the first group of a pattern finds in texts. */
function named(codes: readonly string[], pattern: RegExp): string[] {
  return codes.flatMap((code) => Array.from(code.matchAll(pattern), ([, name]) => name!))
}

/** Options of scripts of npm, and one that was removed. */
const EXCEPTIONS = [
  '--allow-unreleased',
  '--base',
  '--calls',
  '--disable-warning',
  '--disable-warnings',
  '--extensions',
  '--family',
  '--folder',
  '--list',
  '--minutes',
  '--nodes',
  '--quick',
  '--rounds',
]

/** The help of all commands, and of the commands below them. */
const help = new Map<string, string>()
help.set('', await text('help'))
await readHelp(entriesOf(commandGroups))

async function readHelp(entries: readonly Entry[]): Promise<void> {
  for (const { name, commands = [] } of entries) {
    help.set(name, await text(`help ${name}`))
    await readHelp(commands)
  }
}

/** Returns the options that may stand in a text. Undefined if it is a command of another program. */
function optionsFor(code: string): Set<string> | undefined {
  if (code.startsWith('--')) return new Set([...help.values()].flatMap((each) => optionsIn(each)))
  const [, words = ''] = /svtrain-emulator((?: [a-z][\w-]*){0,2})/.exec(code) ?? []
  if (!/^(?:\w+=\S* )*(?:npx )?svtrain-emulator\b/.test(code)) return undefined
  const [first = '', second = ''] = words.trim().split(' ')
  const printed = help.get(`${first} ${second}`.trim()) ?? help.get(first) ?? help.get('')!
  return new Set(optionsIn(printed))
}

function optionsIn(printed: string, pattern = /--[a-z][\w-]*/g): string[] {
  return printed.match(pattern) ?? []
}

describe.each(written)('$file', (page) => {
  const codes = codesOf(page)

  it('names commands that exist', () => {
    const called = named(codes, /svtrain-emulator ([a-z][\w-]*)/g)
    // A message says that "svtrain-emulator is not built".
    expect(called.filter((name) => name !== 'is' && !help.has(name))).toEqual([])
  })

  it('names options that exist, of the command that they stand with', () => {
    const strangers = codes.flatMap((code) => {
      const known = optionsFor(code)
      if (!known) return []
      const [own = ''] = code.split(' -- ')
      return optionsIn(own, /(?<![\w-])--[a-z][\w-]*/g).filter(
        (name) => !known.has(name) && !known.has(name.replace('--no-', '--')),
      )
    })
    const others = strangers.filter((name) => !EXCEPTIONS.includes(name))
    expect(others, 'No command has it, and EXCEPTIONS in this file neither').toEqual([])
  })

  it('names scripts of npm that exist', () => {
    const scripts = named(codes, /\bnpm run ([\w:-]+)/g)
    expect(scripts.filter((script) => !Object.hasOwn(manifest.scripts, script))).toEqual([])
  })

  it('names calls that exist', () => {
    const calls = named(codes, /^((?:GET|POST|PUT|PATCH|DELETE) (?:http:\/\/[\d.:]+)?\/[^\s?]*)/g)
    // A page may leave out what is in SVTRAIN_CONTROL_URL.
    const known = operations
      .flatMap(({ method, path }) =>
        [path, path.replace('/_emulator', '')].map((each) => `${method} ${each}`),
      )
      .map(patternOfPath)
    const strangers = calls.filter((call) => {
      const plain = call.replace(/http:\/\/[\d.:]+/, '')
      return !known.some((pattern) => pattern.test(plain))
    })
    expect(strangers).toEqual([])
  })

  it('names scenarios that exist', () => {
    const known = builtInScenarios.map(({ name }) => name)
    const chosen = named(codes, /--scenario ([\w./<-]+)/g)
    expect(chosen.filter((name) => !/[./<]/.test(name) && !known.includes(name))).toEqual([])
  })

  it('names members of the emulator that exist', async () => {
    await using emulator = createEmulator()
    const members = named(codes, /(?<![\w.-])emulator\.((?!log\b)[\w.]*\w)/g)
    expect(members.filter((path) => !hasMember(emulator, path.split('.')))).toEqual([])
  })

  it('names files that exist', () => {
    const paths = named(codes, /(?<![\w./-])((?:src|test|scenarios|\.build|\.ci)\/[\w./-]*\w\/?)/g)
    // Examples that a user saves under this name.
    const own = blocksOf(page).map(({ name }) => name)
    expect(paths.filter((path) => !own.includes(path) && !existsSync(join(root, path)))).toEqual([])
  })

  it('names entries of the package that exist', () => {
    const imported = named(codes, /(?<![\w/.])svtrain-emulator\/([\w.-]+)/g)
    expect(imported.filter((entry) => !Object.hasOwn(manifest.exports, `./${entry}`))).toEqual([])
  })
})

/** `{job_id}` and `…` stand for any text. */
function patternOfPath(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/]+').replace('*', '.*')}$`)
}

function hasMember(object: object, path: readonly string[]): boolean {
  let current: unknown = object
  for (const name of path) {
    // A member of what a call returns.
    if (typeof current === 'function' || current === undefined) return true
    if (typeof current !== 'object' || current === null || !(name in current)) return false
    current = (current as Record<string, unknown>)[name]
  }
  return true
}
