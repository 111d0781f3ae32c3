import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { judge, type JudgedRequest } from './judged-requests.js'

/**
 * Every request of the corpus gets the answer that the real framework gave to it. How the two were
 * made is told in test/interop/oracle. Routes are not the contract's part: their rows are skipped here
 * and played over HTTP elsewhere.
 */
interface Answer {
  status: number
  detail?: unknown
  value?: unknown
}

/** Where we differ, what we answer there, and why. */
const differences: readonly { names: RegExp; status: number; why: string }[] = [
  {
    names: /^content type: (none)?$/,
    status: 200,
    why: 'FastAPI has grown strict about a missing Content-Type; earlier versions took it for JSON',
  },
  {
    names: /^log: trajectory, reward of 400 digits$/,
    status: 200,
    why: 'JavaScript reads an integer that no float can hold as Infinity, which is a number',
  },
  {
    names: /^JSON: half a surrogate pair in UTF-8$/,
    status: 400,
    why: 'Python decodes it and then finds no JSON; no browser decodes it',
  },
]
const UNPRINTABLE =
  'the framework finds the problem and then fails to print it (NaN, lone surrogates)'

const requests = fixture<JudgedRequest[]>('requests.json')
const { answers } = fixture<{ answers: Record<string, Answer> }>('answers.json')
const rows = requests.flatMap((request) => {
  const ours = judge(request)
  const theirs = answers[request.name]!
  const difference = differences.find(({ names }) => names.test(request.name))
  const expected =
    theirs.status === 500 ? { status: 422, why: UNPRINTABLE } : (difference ?? undefined)
  return ours ? [{ name: request.name, ours, theirs, expected }] : []
})

describe('the framework and we agree', () => {
  it.for(rows.filter(({ expected }) => !expected))('$name', ({ ours, theirs }) => {
    const { status, detail } = ours
    expect(asJson({ status, detail })).toEqual(
      asJson({ status: theirs.status, detail: theirs.detail }),
    )
  })
})

describe('the framework and we read the same', () => {
  it.for(rows.filter(({ theirs, expected }) => theirs.value !== undefined && !expected))(
    '$name',
    ({ ours, theirs }) => {
      // Fields that were left out are filled in by us and not told by them.
      expect(asJson(ours.value)).toMatchObject(read(theirs.value))
    },
  )
})

describe('the framework and we differ', () => {
  it.for(rows.filter(({ expected }) => expected))('$name: $expected.why', (row) => {
    expect(row.ours.status).toBe(row.expected!.status)
    expect(row.theirs.status).not.toBe(row.ours.status)
  })
})

it('the corpus covers what it should', () => {
  expect(rows.length).toBeGreaterThan(1000)
  for (const { names } of differences) expect(rows.some(({ name }) => names.test(name))).toBe(true)
})

function fixture<T>(name: string): T {
  const url = new URL(`../fixtures/validation/${name}`, import.meta.url)
  return JSON.parse(readFileSync(url, 'utf8')) as T
}

/** As it would arrive: in particular, NaN is null and -0 is 0. */
function asJson(value: unknown): unknown {
  const text = JSON.stringify(value)
  return JSON.parse(text)
}

/** An accepted value as the framework read it, save the times, which we leave as they were given. */
function read(value: unknown): object {
  return JSON.parse(JSON.stringify(value), (key, part: unknown) =>
    key === 'start_time' ? undefined : part,
  ) as object
}
