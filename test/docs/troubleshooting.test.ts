import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { assertBuilt } from '../cli/command.js'
import { root } from '../support/pages.js'
import { calls } from './reproductions/calls.js'
import { clients, inInterop } from './reproductions/clients.js'
import { command } from './reproductions/command.js'
import { jobs } from './reproductions/jobs.js'
import { runner } from './reproductions/runner.js'
import { state } from './reproductions/state.js'
import { warnings } from './reproductions/warnings.js'
import { webhooks } from './reproductions/webhooks.js'

/**
 * Every row of docs/how-to/troubleshooting.md: its symptom is made to happen, the user reads the quoted words,
 * and the fix helps.
 */

const LEAST_ROWS = 20

const reproductions = {
  ...command,
  ...runner,
  ...calls,
  ...jobs,
  ...clients,
  ...warnings,
  ...webhooks,
  ...state,
}

/** Returns the quotations of a cell: what is in backticks. Two backticks may enclose one. */
function quotationsOf(cell: string): string[] {
  const found = cell.matchAll(/``(.+?)``|`([^`]+)`/g)
  return Array.from(found, ([, double, single]) => double ?? single!)
}

/** Matches a quotation, in which an ellipsis stands for any text. */
function patternOf(quotation: string): RegExp {
  const parts = quotation.split('…').map((part) => part.replaceAll(/[$()*+.?[\\\]^{|}]/g, '\\$&'))
  return new RegExp(parts.join('[^]*?'))
}

const page = readFileSync(join(root, 'docs', 'how-to', 'troubleshooting.md'), 'utf8')
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (?:symptom|---)/.test(line))
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
  .map(([, symptom = '', cause = '', fix = '']) => {
    const quotations = quotationsOf(symptom)
    return { key: keyOf(quotations), quotations, cause, fix }
  })

/** The first quotation that has a reproduction, or the first of all. */
function keyOf(quotations: readonly string[]): string {
  return quotations.find((each) => each in reproductions) ?? quotations[0] ?? 'a row without words'
}

describe('docs/how-to/troubleshooting.md', { timeout: 60_000 }, () => {
  beforeAll(assertBuilt)

  it('has many rows, each with a symptom, a cause and a fix', () => {
    expect(rows.length).toBeGreaterThanOrEqual(LEAST_ROWS)
    expect(rows.filter(({ cause, fix }) => cause === '' || fix === '')).toEqual([])
  })

  it('has a reproduction for every row, and a row for every reproduction', () => {
    const known = [...Object.keys(reproductions), ...inInterop]
    expect(rows.map(({ key }) => key).toSorted()).toEqual(known.toSorted())
  })

  it('has rows about clients in Python, which npm run conformance reproduces', () => {
    const file = join(root, 'test', 'interop', 'troubleshooting.test.ts')
    const text = readFileSync(file, 'utf8')
    for (const words of inInterop) expect(text).toContain(words)
  })

  it.each(rows.filter(({ key }) => !inInterop.includes(key)))(
    '$key',
    async ({ key, quotations }) => {
      const { said, isFixed } = await reproductions[key]!()
      for (const quotation of quotations) expect(said).toMatch(patternOf(quotation))
      expect(isFixed).toBe(true)
    },
  )
})
