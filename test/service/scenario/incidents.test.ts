import { describe, expect, it, onTestFinished } from 'vitest'
import { createEmulator, type Emulator } from '../../../src/index.js'
import { judgeRequest, scoresIn } from '../../support/judge-request.js'
import { scored, ShortLoop, user, type Scored } from '../../support/short-loop.js'
import { loops, meanRewards } from '../../support/training-loop.js'

/** The auto clock: polls and refusals move the time, and nothing sleeps. */
function open(scenario: string): { loop: ShortLoop; emulator: Emulator } {
  const emulator = createEmulator({ scenario, clock: 'auto' })
  onTestFinished(() => emulator.close())
  return { loop: new ShortLoop(emulator), emulator }
}

/** What the emulator has to say about the calls of an operation. */
function effectsOf({ requests }: Emulator, operation: string): string[] {
  return requests.all().flatMap((entry) => (entry.operation === operation ? entry.effects : []))
}

const mean = (values: readonly number[]): number => {
  return values.reduce((sum, each) => sum + each, 0) / values.length
}

const COLORS = ['Blue.', 'Green.', 'Purple.']
const colored = (rewards: readonly number[]): Scored[] => {
  return COLORS.map((content, index) => {
    return scored('Name a color.', { role: 'assistant', content }, rewards[index]!)
  })
}

describe('judge-down', () => {
  const judge = async (loop: ShortLoop) => {
    const { status, body } = await loop.ask([], judgeRequest(COLORS))
    return { status, scores: () => scoresIn(body.choices[0].message.content) }
  }

  it('gives a loop wrong rewards that takes an error for 0', async () => {
    const { loop, emulator } = open('judge-down')
    const careless = async (): Promise<number[]> => {
      const { status, scores } = await judge(loop)
      return status === 200 ? scores().map(({ score }) => score) : [0, 0, 0]
    }
    const { steps } = await loop.train(colored(await careless()))
    expect(steps).toEqual([])
    expect(effectsOf(emulator, 'createRlTrainingJob').at(-1)).toBe(
      'nothing to train: all trajectories of the same group have the same reward, so the job takes no gradient steps',
    )
  })

  it('lets a loop train that asks again until the judge works', async () => {
    const { loop, emulator } = open('judge-down')
    const start = emulator.clock.now()
    const statuses: number[] = []
    let rewards: number[] = []
    while (rewards.length === 0) {
      const { status, scores } = await judge(loop)
      statuses.push(status)
      if (status === 200) rewards = scores().map(({ score }) => score)
    }
    expect(statuses).toEqual([503, 503, 503, 503, 503, 503, 200])
    expect(emulator.clock.now() - start).toBe(30_000)
    const { steps } = await loop.train(colored(rewards))
    expect(steps.at(-1)).toMatchObject({ num_groups_trainable: 1 })
    expect((await loop.ask([user('Hello')])).status).toBe(200)
  })

  it('does not hit chats that are no requests for scores', async () => {
    const { loop } = open('judge-down')
    expect((await loop.ask([user('Hello')])).status).toBe(200)
  })
})

describe('judge-scores-zero', () => {
  const rewardsOf = async (loop: ShortLoop): Promise<number[]> => {
    const { body } = await loop.ask([], judgeRequest(COLORS))
    return scoresIn(body.choices[0].message.content).map(({ score }) => score)
  }

  it('lets a loop train that looks only at the status, and teaches nothing', async () => {
    const { loop } = open('judge-scores-zero')
    for (let job = 1; job <= 3; job++) {
      const { started, steps } = await loop.train(colored(await rewardsOf(loop)))
      expect([started, steps]).toEqual([{ num_sequences: 0 }, []])
    }
    expect(await loop.newestStep()).toBe(3)
  })

  it('is noticed by a loop that compares the scores of a group', async () => {
    const { loop, emulator } = open('judge-scores-zero')
    const careful = async (): Promise<void> => {
      const rewards = await rewardsOf(loop)
      if (new Set(rewards).size === 1)
        throw new Error(`The judge gives ${rewards[0]} to everything`)
      await loop.train(colored(rewards))
    }
    await expect(careful()).rejects.toThrow('The judge gives 0 to everything')
    expect(emulator.requests.count('createRlTrainingJob')).toBe(0)
  })
})

describe('cut-off-answers', () => {
  const PROMPT = 'Say <answer>yes</answer> or <answer>no</answer>.'
  const choiceOf = async (loop: ShortLoop) => {
    const model = loop.named(await loop.newestStep())
    return (await loop.ask([user(PROMPT)], { model })).body.choices[0]
  }
  const reward = (choice: { message: { content: string } }): number => {
    return Number(choice.message.content === '<answer>yes</answer>')
  }

  /** Returns the mean reward of each batch. */
  async function rewardsOf(scenario: string, gather: typeof choiceOf): Promise<number[]> {
    const { loop } = open(scenario)
    const means: number[] = []
    for (let job = 1; job <= 8; job++) {
      const group: Scored[] = []
      for (let rollout = 1; rollout <= 8; rollout++) {
        const choice = await gather(loop)
        group.push(scored(PROMPT, choice, reward(choice)))
      }
      means.push(mean(group.map((each) => each.reward)))
      await loop.train(group)
    }
    return means
  }

  it('keeps the rewards of a loop low that does not look at the finish_reason', async () => {
    const means = await rewardsOf('cut-off-answers', choiceOf)
    expect(Math.max(...means)).toBeLessThan(0.5)
    expect((await rewardsOf('learning-policy', choiceOf)).at(-1)).toBeGreaterThan(0.8)
  })

  it('does not harm a loop that asks again', async () => {
    const careful = async (loop: ShortLoop) => {
      for (;;) {
        const choice = await choiceOf(loop)
        if (choice.finish_reason !== 'length') return choice
      }
    }
    expect((await rewardsOf('cut-off-answers', careful)).at(-1)).toBeGreaterThan(0.8)
  })
})

describe('policy-moves-mid-rollout', () => {
  /** Returns the steps that answered each rollout, as the emulator tells them. */
  async function stepsOf(name: (loop: ShortLoop) => Promise<string>): Promise<number[][]> {
    const { loop, emulator } = open('policy-moves-mid-rollout')
    const rollouts: number[][] = []
    for (let rollout = 1; rollout <= 6; rollout++) {
      const before = effectsOf(emulator, 'createInferenceChatCompletion').length
      const model = await name(loop)
      const messages: object[] = [user('Name a color.')]
      for (let turn = 1; turn <= 3; turn++) {
        const { message } = (await loop.ask(messages, { model })).body.choices[0]
        messages.push(message, user('Another one.'))
      }
      const effects = effectsOf(emulator, 'createInferenceChatCompletion').slice(before).join('\n')
      rollouts.push(
        [...effects.matchAll(/answered as poet at step (\d+)/g)].map(([, n]) => Number(n)),
      )
    }
    return rollouts
  }

  it('mixes checkpoints in the rollouts of a loop that names none', async () => {
    expect(await stepsOf((loop) => Promise.resolve(loop.named()))).toEqual([
      [0, 1, 1],
      [1, 1, 1],
      [1, 1, 1],
      [1, 1, 1],
      [2, 2, 2],
      [2, 2, 2],
    ])
  })

  it('does not reach the rollouts of a loop that names one step for each', async () => {
    const steps = await stepsOf(async (loop) => loop.named(await loop.newestStep()))
    expect(steps.map((each) => new Set(each).size)).toEqual([1, 1, 1, 1, 1, 1])
    // It still uses the newest checkpoint for each rollout.
    expect(steps.map(([step]) => step)).toEqual([0, 1, 1, 1, 2, 2])
  })
})

describe('adapter-not-applied', () => {
  const PROBES = ['Say yes or no.', 'What is 2 + 2?', 'Name a color.', 'Tell me about the sea.']

  /** A careful loop compares the trained model with its base model: at temperature 0, some answers differ. */
  async function isApplied(scenario: string): Promise<boolean> {
    const { loop } = open(scenario)
    await loop.train(colored([1, 0, 0]))
    const answers = async (more: object): Promise<string[]> => {
      const all = PROBES.map((probe) => loop.ask([user(probe)], { temperature: 0, ...more }))
      return (await Promise.all(all)).map(({ body }) => body.choices[0].message.content as string)
    }
    const [base, trained] = [await answers({}), await answers({ model: loop.named(1) })]
    return base.some((answer, index) => answer !== trained[index])
  }

  it('is found by a loop that compares the model with its base model', async () => {
    expect(await isApplied('adapter-not-applied')).toBe(false)
    expect(await isApplied('learning-policy')).toBe(true)
  })

  it('lets a loop train for nothing that does not compare', async () => {
    const emulator = createEmulator({ scenario: 'adapter-not-applied', clock: 'manual' })
    onTestFinished(() => emulator.close())
    const means = await meanRewards(emulator, loops['graded words']!)
    expect(emulator.jobs.all.map(({ status }) => status)).toEqual(Array(5).fill('ended'))
    expect(means.at(-1)).toBeLessThan(means[0]! + 0.1)
    expect(effectsOf(emulator, 'createChatCompletion')).toContain(
      'its adapter is not applied: it answers like example/base-8b-instruct',
    )
  })
})

describe('cold-adapter', () => {
  /** Returns the rewards of each batch. Every answer is worth 1. */
  async function rewardsOf(ask: (loop: ShortLoop, model: string) => Promise<number>) {
    const { loop } = open('cold-adapter')
    const batches: number[][] = []
    for (let job = 1; job <= 3; job++) {
      const model = loop.named(await loop.newestStep())
      const rewards: number[] = []
      for (let rollout = 1; rollout <= 5; rollout++) rewards.push(await ask(loop, model))
      batches.push(rewards)
      await loop.train(colored([1, 0, 0]))
    }
    return batches
  }

  const once = async (loop: ShortLoop, model: string): Promise<number> => {
    return Number((await loop.ask([user('Name a color.')], { model })).status === 200)
  }

  it('gives wrong rewards to a loop that takes an error for 0, again with each checkpoint', async () => {
    expect(await rewardsOf(once)).toEqual([
      [1, 1, 1, 1, 1],
      [1, 0, 0, 0, 1],
      [1, 0, 0, 0, 1],
    ])
  })

  it('does not harm a loop that asks again', async () => {
    const careful = async (loop: ShortLoop, model: string): Promise<number> => {
      for (let tries = 1; tries < 5; tries++) if ((await once(loop, model)) === 1) return 1
      return once(loop, model)
    }
    expect((await rewardsOf(careful)).flat()).toEqual(Array(15).fill(1))
  })

  it('times out for a client that waits for 10 seconds', async () => {
    const emulator = createEmulator({ scenario: 'cold-adapter', clock: 'manual' })
    onTestFinished(() => emulator.close())
    const loop = new ShortLoop(emulator)
    await loop.newestStep()
    await emulator.checkpoints.add({ model: 'poet' })
    const answer = loop.ask([user('Name a color.')], { model: loop.named(1) })
    let isHere = false
    void answer.then(() => (isHere = true))
    await expect.poll(() => emulator.clock.pending).toBe(1)
    emulator.clock.advance('10s')
    await emulator.fetch(`${emulator.trainingUrl}/health`)
    expect(isHere).toBe(false)
    emulator.clock.advance('10s')
    expect((await answer).status).toBe(200)
  })
})

describe('jobs-concurrency-limit', () => {
  it('loses the second batch of a loop that does not submit it again', async () => {
    const { loop, emulator } = open('jobs-concurrency-limit')
    const other = new ShortLoop(emulator, 'painter')
    const answers = [await loop.submit(colored([1, 0, 0])), await other.submit(colored([1, 0, 0]))]
    expect(answers.map(({ status }) => status)).toEqual([200, 429])
    expect(answers[1]!.body.detail).toBe(
      'concurrency limit reached for training jobs: my-project has one in progress',
    )
    emulator.clock.advance('1m')
    expect([await loop.newestStep(), await other.newestStep()]).toEqual([1, 0])
  })

  it('trains both batches of a loop that waits for the end of the first', async () => {
    const { loop, emulator } = open('jobs-concurrency-limit')
    const other = new ShortLoop(emulator, 'painter')
    const first = await loop.submit(colored([1, 0, 0]))
    let second = await other.submit(colored([1, 0, 0]))
    if (second.status === 429) {
      await loop.follow(first)
      second = await other.submit(colored([1, 0, 0]))
    }
    await other.follow(second)
    expect([await loop.newestStep(), await other.newestStep()]).toEqual([1, 1])
  })
})

describe('overlong-rows', () => {
  const PROMPT = 'Explain the result.'
  /** Long answers get the higher reward. */
  const gather = async (loop: ShortLoop): Promise<{ tokens: number; trajectory: Scored }[]> => {
    const group: { tokens: number; trajectory: Scored }[] = []
    for (let rollout = 1; rollout <= 6; rollout++) {
      const { choices, usage } = (await loop.ask([user(PROMPT)])).body
      const { length } = choices[0].message.content as string
      const trajectory = scored(PROMPT, choices[0], length / 1000)
      group.push({ tokens: usage.total_tokens, trajectory })
    }
    return group
  }

  it('trains a loop on other rewards than those that it submitted', async () => {
    const { loop, emulator } = open('overlong-rows')
    const group = (await gather(loop)).map(({ trajectory }) => trajectory)
    const { started, steps } = await loop.train(group)
    expect(started).toEqual({ num_sequences: 4, num_dropped_trajectories: 2 })
    const submitted = mean(group.map(({ reward }) => reward))
    expect(steps[0]!['reward']).toBeLessThan(submitted / 10)
    expect(effectsOf(emulator, 'createRlTrainingJob')).toContain(
      'dropped 2 trajectories with more than 200 tokens',
    )
  })

  it('is noticed by a loop that counts what was trained', async () => {
    const { loop } = open('overlong-rows')
    const group = (await gather(loop)).map(({ trajectory }) => trajectory)
    const careful = async (): Promise<void> => {
      const { started } = await loop.train(group)
      if (started['num_sequences'] !== group.length) throw new Error('Some rollouts were dropped')
    }
    await expect(careful()).rejects.toThrow('Some rollouts were dropped')
  })

  it('does not reach a loop that stays within the limit', async () => {
    const { loop } = open('overlong-rows')
    const fitting = (await gather(loop)).filter(({ tokens }) => tokens <= 200)
    const { started } = await loop.train(fitting.map(({ trajectory }) => trajectory))
    expect(started).toEqual({ num_sequences: 4 })
  })
})

describe('model-does-not-learn', () => {
  const rewardsOf = async (scenario: string, steps: number): Promise<number[]> => {
    const emulator = createEmulator({ scenario, clock: 'manual' })
    onTestFinished(() => emulator.close())
    const means = await meanRewards(emulator, { ...loops['graded words']!, steps })
    const jobs = emulator.jobs.all
    expect(jobs.map(({ status }) => status)).toEqual(Array(steps).fill('ended'))
    // The metric of each job is the mean of what was submitted, and the loss falls all the same.
    for (const [index, { events }] of jobs.entries()) {
      const [first, ...others] = events.filter(({ type }) => type === 'gradient_step')
      expect(first!.data['reward']).toBeCloseTo(means[index]!, 6)
      expect(others.at(-1)!.data['loss']).toBeLessThan(Number(first!.data['loss']))
    }
    return means
  }

  it('lets a loop train for nothing that only waits for the end of its jobs', async () => {
    const means = await rewardsOf('model-does-not-learn', 8)
    expect(mean(means.slice(-3))).toBeLessThan(mean(means.slice(0, 3)) + 0.1)
    expect(Math.min(...means)).toBeGreaterThan(0)
  })

  it('is noticed by a loop that compares its rewards over some steps', async () => {
    const stands = (means: readonly number[]): boolean => {
      return mean(means.slice(-2)) < mean(means.slice(0, 2)) + 0.1
    }
    expect(stands(await rewardsOf('model-does-not-learn', 4))).toBe(true)
    expect(stands(await rewardsOf('learning-policy', 4))).toBe(false)
  })
})
