import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import picomatch from 'picomatch'
import { describe, expect, it } from 'vitest'
import type { Vitest } from 'vitest/node'
import manifest from '../../package.json' with { type: 'json' }
import { ofNode, ofOtherSuites, suites } from '../suites.js'
import { commandOf, describeRun, introduction, needs } from './introduction.js'
import { pageOf, root } from '../support/pages.js'

/** The suites of tests, and what a run of one says before it starts. */

const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => `test/${file.replaceAll('\\', '/')}`)

/** The patterns that a pattern with braces stands for. */
function alternativesOf(pattern: string): string[] {
  const [, before, list, after] = /^([^{]*)\{([^}]*)\}(.*)$/.exec(pattern) ?? []
  if (list === undefined) return [pattern]
  return list.split(',').flatMap((each) => alternativesOf(`${before}${each}${after}`))
}

describe('the suites', () => {
  it('have each file once', () => {
    const { quick: _quick, ...others } = suites
    const patterns = Object.values(others).map(({ include }) => include)
    const twice = files.filter((file) => {
      return patterns.filter((each) => picomatch.isMatch(file, [...each])).length > 1
    })
    expect(twice).toEqual([])
  })

  it('name files that exist', () => {
    const missing = [...ofOtherSuites, ...ofNode.include]
      .flatMap(alternativesOf)
      .filter((pattern) => !files.some((file) => picomatch.isMatch(file, pattern)))
    expect(missing, 'Correct it in test/suites.ts').toEqual([])
  })

  it.each(Object.entries(suites))('%s has its script, and its time on a page', (name, suite) => {
    expect(manifest.scripts).toHaveProperty([suite.script], `vitest run --project ${name}`)
    const { text } = pageOf('test/README.md')
    expect(text).toMatch(
      new RegExp(`^\\| \`${commandOf(suite.script)}\` .*\\| ${suite.seconds} seconds +\\|$`, 'm'),
    )
  })

  it.each(Object.entries(suites))('%s runs in the gate, or in .ci/long', (name, { script }) => {
    const [gate, long] = ['run', 'long'].map((file) =>
      readFileSync(join(root, '.ci', file), 'utf8'),
    )
    const isInGate = new RegExp(
      `^ *suite (?:${script}(?: "\\$\\{shard\\[@\\]\\}")?$|test:files --project=\\{(?:.*,)?${name}(?:,.*)?\\})`,
      'm',
    )
    const isInLong = new RegExp(`^run_\\w+\\(\\) \\{ npm run ${script};`, 'm')
    expect(isInGate.test(gate!) || isInLong.test(long!)).toBe(true)
  })
})

describe('the start of a suite', () => {
  it('says how many files run, how long they take, and what does not run', async () => {
    const [runs, others, ...skipped] = await describeRun(286, new Set(['quick']))
    expect(runs).toMatch(/^Runs 286 files of tests\. .* about \d+ seconds\.$/)
    expect(others).toContain('npm run conformance')
    expect(others).not.toContain('npm test')
    for (const line of skipped) expect(line).toMatch(/^Skips .+: .+\.$/)
  })

  it('knows the programs that tests of each suite need', () => {
    const { quick: _quick, ...others } = suites
    const needed = files.flatMap((file) => {
      const [suite = 'quick'] =
        Object.entries(others).find(([, { include }]) => picomatch.isMatch(file, [...include])) ??
        []
      const text = readFileSync(join(root, file), 'utf8')
      return Array.from(text.matchAll(/[^.\w]has\('(\w+)'\)/g), ([, name]) => `${suite} ${name}`)
    })
    const known = needs.map(({ suite, program }) => `${suite} ${program}`)
    expect(known.toSorted()).toEqual([...new Set(needed)].toSorted())
  })

  it('refuses a path after -u, because every test would run', () => {
    const start = introduction().configureVitest as (context: object) => void
    const vitest = (update: unknown): Partial<Vitest> =>
      ({ config: { update, reporters: [] } }) as unknown as Partial<Vitest>
    expect(() => start({ vitest: vitest('test/service/api') })).toThrow(
      'npx vitest run test/service/api -u',
    )
    expect(() => start({ vitest: vitest(true) })).not.toThrow()
  })
})
