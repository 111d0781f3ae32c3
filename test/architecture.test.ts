import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..', 'src')

/** A file imports from its own rank or a lower one. Files at the root have ranks of their own. */
const ranks: Readonly<Record<string, number>> = {
  world: 0,
  contract: 1,
  engine: 2,
  webhooks: 3,
  operations: 4,
  'core-options.ts': 5,
  'emulator.ts': 5,
  arrange: 5,
  verification: 5,
  'control-room.ts': 5,
  'addresses.ts': 5,
  client: 6,
  'client.ts': 6,
  'scenario-text.ts': 5,
  'scenario-error.ts': 5,
  'check-scenario.ts': 5,
  'extend-scenario.ts': 5,
  'fault-control.ts': 5,
  'settle.ts': 5,
  'snapshot.ts': 5,
  'read-snapshot.ts': 5,
  'check-records.ts': 5,
  'readable-records.ts': 5,
  'world-keeper.ts': 5,
  'scenario-file.ts': 5,
  'scenario-json-schema.ts': 5,
  'load-scenario.ts': 5,
  'built-in-scenarios.ts': 5,
  'version.ts': 5,
  'worlds.ts': 5,
  adapters: 6,
  matchers: 6,
  play: 6,
  dashboard: 6,
  cli: 7,
  'in-process-emulator.ts': 7,
  'browser.ts': 7,
  'create-emulator.ts': 7,
  'vitest.ts': 7,
  'jest.ts': 7,
  'assert.ts': 7,
  'create-sink.ts': 7,
  'emulator-sink.ts': 6,
  'index.ts': 7,
}

interface Source {
  name: string
  text: string
  /** The source files that it imports, types included. */
  imports: string[]
  /** What it imports from elsewhere. */
  packages: string[]
}

const files = readdirSync(root, { recursive: true, encoding: 'utf8' })

const sources: Source[] = files
  .filter((name) => /\.tsx?$/.test(name))
  .map((name) => {
    const text = readFileSync(join(root, name), 'utf8')
    const specifiers = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].map(
      (found) => found[1]!,
    )
    const imports = specifiers
      .filter((specifier) => specifier.startsWith('.') && specifier.endsWith('.js'))
      .map((specifier) => relative(root, join(root, dirname(name), specifier)).replace(/js$/, 'ts'))
      .map((file) => (files.includes(file) ? file : `${file}x`))
    return { name, text, imports, packages: specifiers.filter((each) => !each.startsWith('.')) }
  })

function rankOf(name: string): number {
  return ranks[name.split('/')[0]!] ?? Number.NaN
}

/** The code alone, so that a comment may speak of what code may not do. */
function codeOf({ text }: Source): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '$1')
}

function offenders(pattern: RegExp, except: (name: string) => boolean): string[] {
  return sources
    .filter((source) => !except(source.name) && pattern.test(codeOf(source)))
    .map(({ name }) => name)
}

describe('the house', () => {
  it('has a rank for every file', () => {
    expect(sources.length).toBeGreaterThan(50)
    expect(
      sources.filter(({ name }) => Number.isNaN(rankOf(name))).map(({ name }) => name),
    ).toEqual([])
  })

  it('imports downwards only', () => {
    const upwards = sources.flatMap(({ name, imports }) =>
      imports.filter((to) => rankOf(to) > rankOf(name)).map((to) => `${name} → ${to}`),
    )
    expect(upwards).toEqual([])
  })

  it('has a dashboard that speaks the control API alone', () => {
    const crossing = sources.flatMap(({ name, imports }) => {
      const isInside = (file: string): boolean => file.startsWith('dashboard/')
      return imports.filter((to) => isInside(to) !== isInside(name)).map((to) => `${name} → ${to}`)
    })
    expect(crossing).toEqual([])
  })

  it('has no import circles, not even of types', () => {
    const graph = new Map(sources.map(({ name, imports }) => [name, imports]))
    const circles: string[] = []
    const done = new Set<string>()
    const visit = (name: string, trail: readonly string[]): void => {
      if (trail.includes(name)) {
        circles.push([...trail.slice(trail.indexOf(name)), name].join(' → '))
        return
      }
      if (done.has(name)) return
      for (const to of graph.get(name) ?? []) visit(to, [...trail, name])
      done.add(name)
    }
    for (const { name } of sources) visit(name, [])
    expect(circles).toEqual([])
  })

  it('touches real time and chance in world/ only', () => {
    const time = /\bDate\.now\b|\bnew Date\(\)|\bperformance\.|\bset(?:Timeout|Interval)\b/
    const chance = /\bMath\.random\b|\brandomUUID\b|\bgetRandomValues\b/
    const inWorld = (name: string): boolean => name.startsWith('world/')
    expect(offenders(time, inWorld)).toEqual([])
    expect(offenders(chance, inWorld)).toEqual([])
  })

  it('prints and exits in cli/ only', () => {
    const pattern = /\bconsole\.|\bprocess\.(?:exit|stdout|stderr)\b/
    expect(offenders(pattern, (name) => name.startsWith('cli/'))).toEqual([])
  })

  it('exports by name, one by one', () => {
    expect(offenders(/\bexport \*|\bexport default\b/, () => false)).toEqual([])
  })

  it('has no junk drawers', () => {
    const drawers = sources.filter(({ name }) => {
      return /^(?:helpers?|utils?|common|types|misc)\.ts$/.test(basename(name))
    })
    expect(drawers.map(({ name }) => name)).toEqual([])
  })
})

describe('what runs in browsers', () => {
  const entries = ['browser.ts', 'adapters/msw.ts']

  it('imports nothing of Node', () => {
    const core = sources.filter(({ name }) => rankOf(name) <= 4 || name === 'emulator.ts')
    const nodes = core.filter(({ packages }) => packages.some((each) => each.startsWith('node:')))
    expect(nodes.map(({ name }) => name)).toEqual([])
  })

  it.each(entries)('bundles for them, its libraries included: %s', async (entry) => {
    const { errors, outputFiles } = await build({
      entryPoints: [join(root, entry)],
      bundle: true,
      write: false,
      platform: 'browser',
      format: 'esm',
      // The user's own.
      external: ['msw'],
      logLevel: 'silent',
    })
    expect(errors).toEqual([])
    expect(outputFiles[0]!.text).not.toMatch(/\brequire\(|from ?["']node:/)
  })

  it('exports nothing that the package does not', { timeout: 60_000 }, async () => {
    const browser = Object.keys(await import('../src/browser.js'))
    expect(Object.keys(await import('../src/index.js'))).toEqual(expect.arrayContaining(browser))
  })
})
