import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { report, type Row } from '../report.js'
import { choices } from './choices.js'
import { isSame, type Case } from './compare.js'
import { extremeNumber, scalar } from './odd.js'
import { families, generate } from './families.js'
import { hunt, type Judged } from './hunt.js'
import { Draw } from '../../support/draw.js'
import { numberFrom } from '../../support/number-from-environment.js'
import { explain, tally } from './tally.js'

/** Thousands of hostile requests, answered by the framework and by us. What a server could change goes over sockets. */

/** With more of them, it takes longer: `SVTRAIN_HOSTILE_REQUESTS=20000`. */
const COUNT = numberFrom('SVTRAIN_HOSTILE_REQUESTS', 5000)
const SEEDS = [101, 202]
const { framework: python } = inject('pythons')

describe.skipIf(python.why !== undefined)('hostile requests', () => {
  const runs: Judged[][] = []
  let all: Judged[]
  beforeAll(async () => {
    for (const seed of SEEDS) runs.push(await hunt(python.command!, seed, COUNT))
    all = runs.flat()
  }, 600_000)

  it.each(SEEDS.map((seed, index) => [seed, index] as const))(
    'of seed %i get the same answer in 98 %, and in 99.5 % with the documented choices',
    (_seed, index) => {
      const { count, same, explained } = tally(runs[index]!)
      expect(count).toBe(COUNT)
      expect(same / count).toBeGreaterThanOrEqual(0.98)
      expect(explained / count).toBeGreaterThanOrEqual(0.995)
    },
  )

  it('get another answer only for reasons that are documented', () => {
    const { unexplained } = tally(all)
    const shown = unexplained.slice(0, 10).map(explain).join('\n')
    expect(unexplained.length, `${shown}\n`).toBe(0)
  })

  it('come from all families, and are mostly refused', () => {
    const found = tally(all).families
    expect(Object.keys(found).sort()).toEqual(Object.keys(families).sort())
    for (const count of Object.values(found)) expect(count).toBeGreaterThan(100)
    const refused = all.filter(({ theirs }) => theirs[0]!.status >= 400)
    expect(refused.length / all.length).toBeGreaterThan(0.6)
  })

  it('meet each choice', () => {
    const met = tally(all).choices
    expect(choices.map(({ name }) => name).filter((name) => !(name in met))).toEqual([])
  })

  it('are in the table of the documentation', () => {
    const row = (check: string, pattern: RegExp): Row => {
      const cases = all.filter(({ request }) => pattern.test(request.family))
      const others = cases.filter(({ verdict }) => verdict !== 'same')
      const reasons = `${new Set(others.map(({ verdict }) => verdict)).size} documented choices`
      return { check, cases: cases.length, same: cases.length - others.length, reasons }
    }
    const rows = [
      row('Hostile bodies', BODIES),
      row('Hostile paths, queries, methods and keys', ADDRESSES),
      row('Hostile bytes on the wire', /^wire$/),
    ]
    expect(rows.reduce((sum, { cases }) => sum + cases, 0)).toBe(all.length)
    expect(report('2d-hostile', rows)).toEqual([])
  })
})

const ADDRESSES = /^(?:query|keys|path|method|content types)$/
const BODIES = /^(?:choice|messages|trajectory|scalar|uuid|JSON texts|encodings|nesting)$/

describe('the comparison of hostile requests', () => {
  const ports = { framework: 1, emulator: 2 }
  const [request] = [generate(1, 1, { model: 'm', job: 'j', entity: 'e' })]
  const answered = (body: string, headers = {}): Case['theirs'] => [
    { status: 422, headers: new Map(Object.entries(headers)), body: Buffer.from(body) },
  ]

  it.each([
    ['9007199254740993', '9007199254740992'],
    ['1.0', '1'],
    ['-0.0', '0'],
    ['1e+16', '10000000000000000'],
    ['{"b":1,"10":2}', '{"10":2,"b":1}'],
  ])('tells %s from %s', (one, other) => {
    const asked = { request, theirs: answered(one) }
    expect(isSame({ ...asked, ours: answered(one) }, ports)).toBe(true)
    expect(isSame({ ...asked, ours: answered(other) }, ports)).toBe(false)
  })

  it.each(['content-type', 'allow', 'location', 'www-authenticate'])('reads %s', (name) => {
    const asked = { request, theirs: answered('', { [name]: 'a' }) }
    expect(isSame({ ...asked, ours: answered('', { [name]: 'a' }) }, ports)).toBe(true)
    expect(isSame({ ...asked, ours: answered('', { [name]: 'b' }) }, ports)).toBe(false)
    expect(isSame({ ...asked, ours: answered('') }, ports)).toBe(false)
  })

  it('counts the answers', () => {
    const [one] = answered('a') as [Case['theirs'][number]]
    expect(isSame({ request, theirs: [one], ours: [] }, ports)).toBe(false)
    expect(isSame({ request, theirs: [one], ours: [one, one] }, ports)).toBe(false)
  })
})

describe('the generator of hostile requests', () => {
  it('makes the same request again from a seed and a number', () => {
    const known = { model: 'm', job: 'j', entity: 'e' }
    for (let index = 0; index < 200; index++) {
      expect(generate(3, index, known)).toEqual(generate(3, index, known))
    }
  })

  it('makes a fourth of its odd scalars extreme numbers', () => {
    const extreme = (text: string): boolean => text.length > 15 || /[eN.]|^-?I/.test(text)
    const numbers = Array.from({ length: 500 }, (_, index) =>
      extremeNumber(new Draw(1, `number ${index}`)),
    )
    expect(numbers.filter(extreme).length).toBeGreaterThan(400)
    const sources = Array.from({ length: 4000 }, (_, index) =>
      scalar(new Draw(1, `scalar ${index}`)),
    )
    const found = sources.filter(
      (each) => 'source' in each && /^-?[\dNI]/.test(each.source) && extreme(each.source),
    )
    expect(found.length / sources.length).toBeGreaterThan(0.2)
  })
})

describe('each documented choice', () => {
  it.each(choices.map(({ name, source }) => [name, source] as const))(
    'has a source: %s',
    (_name, { page, section, words }) => {
      const text = readFileSync(
        join(import.meta.dirname, '..', '..', '..', 'docs', 'explain', page),
        'utf8',
      )
      const [, after] = text.split(new RegExp(`^#+ ${section}$`, 'm'))
      expect(after, `${page} has no section "${section}"`).toBeDefined()
      const [within] = after!.split(/^#/m)
      expect(within).toContain(words)
    },
  )
})
