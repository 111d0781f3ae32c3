import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, it } from 'vitest'
import { createEmulator, operations } from '../../src/index.js'
import { describeHost } from '../../src/operations/openapi.js'
import { runPython } from './python.js'
import { report, REPORT } from './report.js'
import { answerOf, compare, type Answer, type Compared } from './requests/compare.js'
import { generateRequests } from './requests/generate.js'

/** Thousands of generated requests, answered by the framework and by us. */

const SEED = 1
const python = inject('python')

async function compareAll(command: string): Promise<Compared[]> {
  const requests = generateRequests(describeHost(operations, 'training'), SEED)
  const [asked, answered] = ['requests', 'answers'].map((name) => join(REPORT, `${name}.jsonl`))
  writeFileSync(asked!, requests.map((each) => `${JSON.stringify(each)}\n`).join(''))
  const ran = await runPython(command, [join('oracle', 'answer.py'), asked!, answered!])
  if (ran.code !== 0) throw new Error(ran.stderr)
  const lines = readFileSync(answered!, 'utf8').trimEnd().split('\n')
  // The documented interface asks for no key here; ours does unless it is told.
  const emulator = createEmulator({
    clock: 'manual',
    scenario: { name: 'as-documented', auth: { open: ['health', 'system-check'] } },
  })
  const compared: Compared[] = []
  for (const [index, request] of requests.entries()) {
    const theirs = JSON.parse(lines[index]!) as Answer
    const ours = await answerOf(emulator, request)
    compared.push(compare({ request, theirs, ours }))
  }
  await emulator.close()
  return compared
}

/** What each documented refusal must be told as. */
const told: Readonly<Record<string, string>> = {
  'bad JSON': 'json_invalid',
  'no body': 'missing',
  'body is no object': 'model_attributes_type',
  'missing field': 'missing',
  'no string': 'string_type',
  'return_existing is null': 'bool_type',
  'model_id is no UUID': 'uuid_parsing',
  'limit below 1': 'greater_than_equal',
  'limit above 100': 'less_than_equal',
  'limit is no number': 'int_parsing',
  'order is neither': 'literal_error',
  'step is no integer': 'int_from_float',
  'group without trajectories': 'missing',
  'message of no kind': 'literal_error',
}

if (python.why !== undefined) {
  it.skip(`the same answers as the framework: ${python.why}`, () => {
    expect.unreachable()
  })
} else {
  const compared = await compareAll(python.command)
  const names = [...new Set(compared.map(({ request }) => request.category))]
  const of = (category: string): Compared[] =>
    compared.filter(({ request }) => request.category === category)

  describe('of the generated requests', () => {
    it('at most a fifth is accepted', () => {
      expect(compared.length).toBe(20_000)
      const accepted = compared.filter(({ theirs }) => theirs.status === 200).length
      expect(accepted / compared.length).toBeLessThanOrEqual(0.2)
      expect(accepted).toBeGreaterThan(1000)
    })

    it.each(Object.entries(told))('"%s" is told at least 200 times, as %s', (row, type) => {
      const met = of(`refusal: ${row}`).filter(({ theirs }) => {
        return Array.isArray(theirs.detail) && theirs.detail.some((each) => each.type === type)
      })
      expect(met.length).toBeGreaterThanOrEqual(200)
    })

    it('each operation gets at least 200', () => {
      for (const { method, path, host, unlisted } of operations) {
        if (host !== 'training' || unlisted) continue
        const pattern = new RegExp(`^${path.replaceAll(/{\w+}/g, '[^/]+')}$`)
        const asked = compared.filter(
          ({ request }) => request.method === method && pattern.test(request.path.split('?')[0]!),
        )
        expect(asked.length, `${method} ${path}`).toBeGreaterThanOrEqual(200)
      }
    })
  })

  describe('status and detail are the same', () => {
    it.each(names)('in 97 % of "%s", and the rest has a reason', (category) => {
      const cases = of(category)
      const others = cases.filter(({ isSame }) => !isSame)
      expect(1 - others.length / cases.length).toBeGreaterThanOrEqual(0.97)
      expect(others.filter(({ reason }) => reason === undefined).slice(0, 5)).toEqual([])
    })

    it('in 99.5 % of all', () => {
      const others = compared.filter(({ isSame }) => !isSame)
      expect(1 - others.length / compared.length).toBeGreaterThanOrEqual(0.995)
    })
  })

  it('is in the table', () => {
    report('2-answers', [
      rowOf('Generated bodies', (name) => name.startsWith('body')),
      rowOf('Generated queries', (name) => name.startsWith('query')),
      rowOf('Operations that take neither', (name) => /^(?:GET|DELETE)/.test(name)),
      rowOf('Documented refusals, row by row', (name) => name.startsWith('refusal')),
      rowOf('Keys, content types, encodings, broken JSON', (name) =>
        ['keys and fields', 'content types', 'encodings', 'JSON texts'].includes(name),
      ),
    ])
  })

  const rowOf = (check: string, isOfIt: (category: string) => boolean) => {
    const cases = compared.filter(({ request }) => isOfIt(request.category))
    const others = cases.filter(({ isSame }) => !isSame)
    const reasons = [...new Set(others.map(({ reason }) => reason ?? 'unknown'))].sort().join('; ')
    return { check, cases: cases.length, same: cases.length - others.length, reasons }
  }
}
