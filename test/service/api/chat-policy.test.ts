import { describe, expect, it } from 'vitest'
import type { ScenarioInput } from '../../../src/index.js'
import { openEmulator } from '../../emulator/open-emulator.js'
import { clientOf } from '../../support/api-client.js'
import { meanRewards, type Loop } from '../training-loop.js'
import { chat } from '../../support/trainer.js'

/** A policy that answers with the number in the prompt. */
const numbers: ScenarioInput = {
  name: 'numbers',
  chat: {
    rules: [
      {
        match: { user: { matches: '(?P<number>\\d+)' } },
        policy: {
          chance: { curve: 'sigmoid', from: 0.05, to: 0.95, midpoint: 0.5, steepness: 8 },
          steps: 10,
          learns_from: 'rewards',
          better: 'The answer is {{match.number}}.',
          worse: ['The answer is unknown.', 'I would have to guess.', 'It depends.'],
        },
      },
    ],
  },
}

const prompts = Array.from({ length: 4 }, (_, index) => `Which number is ${index + 10}?`)

function isRight(prompt: string, answer: string): boolean {
  return answer.includes(/\d+/.exec(prompt)![0])
}

/** Rewards the right number, and groups of eight rollouts. */
const loop: Loop = {
  prompts,
  rewards: (group) => group.map(({ prompt, answer }) => Number(isRight(prompt, answer))),
  rollouts: 8,
  steps: 10,
}

describe('the policy of a scenario', () => {
  it('that learns makes the reward of a training loop rise', async () => {
    const means = await meanRewards(openEmulator({ scenario: numbers }), loop)
    expect(means[0]).toBeLessThan(0.2)
    expect(means.at(-1)).toBeGreaterThan(0.85)
    expect(means).toEqual([...means].sort((a, b) => a - b))
  })

  it('that collapses makes the reward rise first and then fall', async () => {
    const means = await meanRewards(openEmulator({ scenario: 'collapsing-policy' }), loop)
    expect(Math.max(...means)).toBeGreaterThan(0.6)
    expect(means.at(-1)).toBe(0)
    expect(means.slice(2)).toEqual(means.slice(2).sort((a, b) => b - a))
  })

  it('that learns from rewards learns nothing from equal rewards', async () => {
    const emulator = openEmulator({ scenario: numbers })
    await meanRewards(emulator, { ...loop, rewards: (group) => group.map(() => 0) })
    const model = 'artifact:///local-team/demo/poet:step10'
    const { body } = await chat(clientOf(emulator), prompts[0]!, { model, n: 40 })
    const answers = body.choices as { message: { content: string } }[]
    const right = answers.filter(({ message }) => isRight(prompts[0]!, message.content))
    expect(right.length).toBeLessThan(10)
  })
})
