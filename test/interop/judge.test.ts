import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/index.js'
import { resultOf, runCopy } from './python.js'

/**
 * How the newest openpipe-art takes each mistake of a judge: the table in docs/how-to/chat.md. It asks once more
 * if ids are missing, unknown or repeated, and raises everything else at once.
 */
const cases = [
  {
    mistake: 'wrong_count',
    ended: 'ValueError',
    message: /^Expected 3 scores, but got 2/,
    calls: 2,
  },
  { mistake: 'unknown_ids', ended: 'ValueError', message: /^Expected trajectory ids/, calls: 2 },
  { mistake: 'duplicate_ids', ended: 'ValueError', message: /^Expected trajectory ids/, calls: 2 },
  { mistake: 'out_of_range', ended: 'success', calls: 1 },
  { mistake: 'missing_field', ended: 'ValidationError', message: /Field required/, calls: 1 },
  { mistake: 'not_json', ended: 'ValidationError', message: /Invalid JSON/, calls: 1 },
  { mistake: 'fenced', ended: 'ValidationError', message: /Invalid JSON/, calls: 1 },
  { mistake: 'refusal', ended: 'ValidationError', message: /Field required/, calls: 1 },
] as const

const { newest } = inject('pythons')

describe.skipIf(newest.why !== undefined)('a judge of openpipe-art 0.5.23, the newest', () => {
  const opened: Emulator[] = []
  const calls: number[] = []
  let ends: { ended: string; message?: string; rewards?: number[] }[]
  afterAll(() => Promise.all(opened.map((emulator) => emulator.close())))

  beforeAll(async () => {
    const judges = [
      ...cases.map(({ mistake }) => ({ mistake })),
      // Only the first answer is wrong.
      { mistake: 'wrong_count' as const, calls: 1 },
    ]
    for (const [index, judge] of judges.entries()) {
      const emulator = createEmulator({ scenario: { name: 'bad-judge', chat: { judge } } })
      opened.push(emulator)
      await emulator.listen()
      calls[index] = 0
      emulator.journal.subscribe((entry) => {
        if (entry.kind === 'request') calls[index]!++
      })
    }
    const ran = await runCopy(newest, [join('clients', 'art_judge.py')], {
      SVTRAIN_JUDGES: JSON.stringify(opened.map(({ inferenceUrl }) => inferenceUrl)),
    })
    ends = resultOf(ran)
  })

  it.each(cases.map((expected, index) => ({ index, message: undefined, ...expected })))(
    'that makes the mistake $mistake: $ended after $calls call(s)',
    ({ index, ended, message, calls: expected }) => {
      expect(ends[index]).toMatchObject({ ended })
      if (message) expect(ends[index]!.message).toMatch(message)
      expect(calls[index]).toBe(expected)
    },
  )

  it('whose scores are out of range gives those rewards', () => {
    const { rewards } = ends[cases.findIndex(({ mistake }) => mistake === 'out_of_range')]!
    expect(Math.max(...rewards!)).toBeGreaterThan(1)
  })

  it('that is right when it is asked again gives each trajectory a reward', () => {
    expect(ends.at(-1)).toMatchObject({ ended: 'success' })
    expect(ends.at(-1)!.rewards).toHaveLength(3)
    expect(calls.at(-1)).toBe(2)
  })
})
