import { join } from 'node:path'
import { beforeAll, describe, expect, inject, it } from 'vitest'
import { createEmulator } from '../../src/index.js'
import { checksFound } from './checks-found.js'
import { resultOf, runCopy } from './python.js'
import { variablesFor } from './use.js'

const { newest } = inject('pythons')

interface Ended {
  /** The mean rewards of the untrained model and after each of the five training steps. */
  rewards: number[]
  /** The last step of the model. */
  step: number
}

/** The whole loop: register, gather, judge, train, delete checkpoints, fine-tune. Nothing is set up for it. */
describe.skipIf(newest.why !== undefined)('a whole loop of openpipe-art 0.5.23, the newest', () => {
  let judged: Ended
  let compared: Ended
  let found: string[]

  beforeAll(async () => {
    await using emulator = createEmulator({ scenario: 'learning-policy', clock: 'auto' })
    await emulator.listen()
    const ran = await runCopy(newest, [join('clients', 'art_loop.py')], {
      ...variablesFor(emulator),
      // Runs and artifacts have tests of their own.
      WANDB_MODE: 'disabled',
    })
    ;({ judged, compared } = resultOf<{ judged: Ended; compared: Ended }>(ran))
    found = checksFound(emulator)
  }, 300_000)

  it('raises the reward of a judge within five steps', () => {
    expect(judged.rewards).toHaveLength(6)
    expect(riseOf(judged)).toBeGreaterThan(0.2)
  })

  it('raises a reward that compares texts within five steps', () => {
    expect(compared.rewards).toHaveLength(6)
    expect(riseOf(compared)).toBeGreaterThan(0.4)
  })

  it.each(['judged', 'compared'] as const)(
    'the model that is %s is better in later steps',
    (name) => {
      const { rewards } = { judged, compared }[name]
      expect(sumOf(rewards.slice(3))).toBeGreaterThan(sumOf(rewards.slice(0, 3)))
    },
  )

  it('ends with fine-tuning, which makes a sixth step', () => {
    expect(judged.step).toBe(6)
    expect(compared.step).toBe(6)
  })

  it('makes no mistake that the client checks know', () => {
    expect(found).toEqual([])
  })
})

function riseOf({ rewards }: Ended): number {
  return rewards.at(-1)! - rewards[0]!
}

function sumOf(rewards: readonly number[]): number {
  return rewards.reduce((sum, reward) => sum + reward, 0)
}
