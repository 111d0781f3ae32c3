import { describe, expect, it } from 'vitest'
import OpenAI from 'openai'
import { createEmulator, type Emulator, type ScenarioInput } from '../../../src/index.js'

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
const GROUP = 8

/** A training loop: rollouts with the newest checkpoint, rewards, a training job, and so on. */
async function meanRewards(
  emulator: Emulator,
  { reward = isRight, steps = 10 }: { reward?: typeof isRight; steps?: number } = {},
): Promise<number[]> {
  const { trainingUrl: baseURL, apiKey, fetch } = emulator
  const client = new OpenAI({ baseURL, apiKey, fetch })
  const poet = { project: 'demo', name: 'poet', base_model: 'example/base-8b-instruct' }
  const { id, entity } = await client.post<{ id: string; entity: string }>('/preview/models', {
    body: poet,
  })
  const means: number[] = []
  for (let step = 0; step <= steps; step++) {
    const model = `artifact:///${entity}/demo/poet:step${step}`
    const trajectory_groups = await Promise.all(
      prompts.map(async (content) => {
        const messages = [{ role: 'user' as const, content }]
        const { choices } = await client.chat.completions.create({ model, messages, n: GROUP })
        return {
          trajectories: choices.map((choice) => ({
            messages_and_choices: [...messages, choice],
            reward: reward(content, choice.message.content ?? ''),
          })),
        }
      }),
    )
    const rewards = trajectory_groups.flatMap(({ trajectories }) =>
      trajectories.map((trajectory) => trajectory.reward),
    )
    means.push(rewards.reduce((sum, each) => sum + each, 0) / rewards.length)
    const job = await client.post<{ id: string }>('/preview/training-jobs', {
      body: { model_id: id, trajectory_groups },
    })
    let status = 'queued'
    while (status !== 'ended') {
      const record = await client.get<{ status: string }>(`/preview/training-jobs/${job.id}`)
      status = record.status
    }
  }
  return means
}

function isRight(prompt: string, answer: string): number {
  return answer.includes(/\d+/.exec(prompt)![0]) ? 1 : 0
}

describe('the policy of a scenario', () => {
  it('that learns makes the reward of a training loop rise', async () => {
    const means = await meanRewards(createEmulator({ scenario: numbers, clock: 'instant' }))
    expect(means[0]).toBeLessThan(0.2)
    expect(means.at(-1)).toBeGreaterThan(0.85)
    expect(means).toEqual([...means].sort((a, b) => a - b))
  })

  it('that collapses makes the reward rise first and then fall', async () => {
    const means = await meanRewards(
      createEmulator({ scenario: 'collapsing-policy', clock: 'instant' }),
    )
    expect(Math.max(...means)).toBeGreaterThan(0.6)
    expect(means.at(-1)).toBe(0)
    expect(means.slice(2)).toEqual(means.slice(2).sort((a, b) => b - a))
  })

  it('that learns from rewards learns nothing from equal rewards', async () => {
    const emulator = createEmulator({ scenario: numbers, clock: 'instant' })
    const means = await meanRewards(emulator, { reward: () => 0 })
    expect(means).toEqual(means.map(() => 0))
    const model = 'artifact:///local-team/demo/poet:step10'
    const client = new OpenAI({
      baseURL: emulator.inferenceUrl,
      apiKey: emulator.apiKey,
      fetch: emulator.fetch,
    })
    const messages = [{ role: 'user' as const, content: prompts[0]! }]
    const { choices } = await client.chat.completions.create({ model, messages, n: 40 })
    const right = choices.filter(({ message }) => isRight(prompts[0]!, message.content!) === 1)
    expect(right.length).toBeLessThan(10)
  })

  it('gives the same rewards in every run, and others with another seed', async () => {
    const run = (seed: number): Promise<number[]> => {
      return meanRewards(
        createEmulator({ scenario: 'collapsing-policy', seed, clock: 'instant' }),
        { steps: 2 },
      )
    }
    const first = await run(1)
    expect(await run(1)).toEqual(first)
    expect(await run(2)).not.toEqual(first)
  })
})
