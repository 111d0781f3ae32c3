import OpenAI from 'openai'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createEmulator, type Emulator, type ScenarioInput } from '../../../src/index.js'
import { loops, meanRewards, type Loop } from '../../support/training-loop.js'
import { describeInProcess } from '../../support/transports.js'

const SEEDS = Array.from({ length: 10 }, (_, index) => index + 1)

function emulatorOf(seed = 1, scenario: string | ScenarioInput = 'learning-policy'): Emulator {
  const emulator = createEmulator({ scenario, seed, clock: 'manual' })
  onTestFinished(() => emulator.close())
  return emulator
}

type Candidates = NonNullable<
  NonNullable<NonNullable<ScenarioInput['chat']>['rules']>[number]['learner']
>['candidates']

function withCandidates(...candidates: NonNullable<Candidates>): ScenarioInput {
  return { name: 'given', chat: { rules: [{ learner: { candidates } }] } }
}

describeInProcess('a model that learns', (open) => {
  it.each(Object.keys(loops))('makes the reward rise in a loop of %s', async (name) => {
    const { emulator, fetch } = await open({ scenario: 'learning-policy' })
    const means = await meanRewards(emulator, { ...loops[name]!, fetch })
    expect(means.at(-1)).toBeGreaterThan(means[0]! + 0.1)
  })
})

describe('a model that learns', () => {
  it.each(Object.keys(loops))('gets better within five steps with any seed: %s', async (name) => {
    for (const seed of SEEDS) {
      const means = await meanRewards(emulatorOf(seed), loops[name]!)
      expect({ seed, rises: means[5]! > means[0]! }).toEqual({ seed, rises: true })
    }
  })

  it('gives the same rewards in every run, and others with another seed', async () => {
    const first = await meanRewards(emulatorOf(1), loops['graded words']!)
    expect(await meanRewards(emulatorOf(1), loops['graded words']!)).toEqual(first)
    expect(await meanRewards(emulatorOf(2), loops['graded words']!)).not.toEqual(first)
  })

  it.each(['messages', 'choices', 'exchanges'] as const)(
    'learns from trajectories that are sent as %s',
    async (form) => {
      const means = await meanRewards(emulatorOf(), { ...loops['graded words']!, form })
      expect(means[5]).toBeGreaterThan(means[0]! + 0.2)
    },
  )

  it('answers prompts better that were never trained, if they are of the same kind', async () => {
    const emulator = emulatorOf()
    await meanRewards(emulator, loops['exact sums']!)
    const right = await shareOf(emulator, '23 + 19', (answer) => answer === '42')
    expect(right).toBeGreaterThan(0.6)
    const before = await shareOf(emulator, '23 + 19', (answer) => answer === '42', 0)
    expect(before).toBeLessThan(0.4)
  })

  it.each([
    ['the last number', '5', '6'],
    ['a sentence with the last number', 'The answer is 5.', 'The answer is 6.'],
    ['the first half', 'Ann has 3 apples. Bob has', 'Ann has 12 apples. Bob has'],
  ])('answers a new prompt with %s if that was best before', async (_what, best, expected) => {
    const emulator = emulatorOf()
    const client = clientOf(emulator)
    const model_id = await modelOf(client)
    const asked = { role: 'user', content: 'Ann has 3 apples. Bob has 8 pears. Cy has 5 plums.' }
    const trajectories = [best, '3'].map((content) => ({
      messages_and_choices: [asked, { role: 'assistant', content }],
      reward: Number(content === best),
    }))
    for (let step = 1; step <= 5; step++) {
      await train(emulator, client, { model_id, trajectory_groups: [{ trajectories }] })
    }
    const content = 'Ann has 12 apples. Bob has 7 pears. Cy has 6 plums.'
    const answers = await say(client, [{ role: 'user', content }])
    expect(countOf(answers, expected)).toBeGreaterThan(30)
  })

  it('plays a game whose prompt shows an example of a move, and gets better', async () => {
    for (const seed of SEEDS.slice(0, 3)) {
      const emulator = emulatorOf(seed)
      const client = clientOf(emulator)
      const model_id = await modelOf(client)
      const means: number[] = []
      for (let step = 0; step <= 6; step++) {
        const groups = await Promise.all([1, 2, 3].map(() => playGames(client, step)))
        const rewards = groups.flatMap((group) => group.map(({ reward }) => reward))
        expect(new Set(rewards).size).toBeGreaterThan(1)
        means.push(rewards.reduce((sum, each) => sum + each, 0) / rewards.length)
        const trajectory_groups = groups.map((trajectories) => ({ trajectories }))
        await train(emulator, client, { model_id, trajectory_groups })
      }
      expect({ seed, rises: means.at(-1)! > means[0]! }).toEqual({ seed, rises: true })
    }
  })

  it('learns nothing if all rewards of a group are the same', async () => {
    const emulator = emulatorOf()
    const { prompts } = loops['graded words']!
    const rewards: Loop['rewards'] = (group) => group.map(({ task }) => task)
    await meanRewards(emulator, { prompts, rewards })
    const answers = [0, 5].map((step) => answersOf(emulator, prompts[0]!, { step, count: 40 }))
    const [first, last] = await Promise.all(answers)
    expect(new Set(last).size).toBeGreaterThan(new Set(first).size / 2)
  })

  it('needs the right answer among its candidates if no prompt names it', async () => {
    const loop: Loop = {
      prompts: ['Who wrote Hamlet?', 'Who painted the ceiling?'],
      rewards: (group) => {
        return group.map(({ task, answer }) =>
          Number(answer === ['Shakespeare', 'Michelangelo'][task]),
        )
      },
    }
    const without = await meanRewards(emulatorOf(), loop)
    expect(without).toEqual([0, 0, 0, 0, 0, 0])
    const scenario = withCandidates('Shakespeare', 'Michelangelo', 'Homer')
    const means = await meanRewards(emulatorOf(1, scenario), { ...loop, steps: 8 })
    expect(means.at(-1)).toBeGreaterThan(0.8)
  })

  it.each([
    ['turn', '1', '1'],
    ['step', '0', '5'],
    ['model', 'artifact:///local-team/demo/poet:step0', 'artifact:///local-team/demo/poet:step5'],
  ])(
    'learns a kind of answer that has the %s in it, and gives it to other prompts',
    async (what, sampled, expected) => {
      const emulator = emulatorOf(1, withCandidates(`Reply {{${what}}}!`, `Wait {{${what}}}!`))
      const client = clientOf(emulator)
      const model_id = await modelOf(client)
      const asked = (content: string) => [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content },
      ]
      const contents = [`Reply ${sampled}!`, `Wait ${sampled}!`]
      const trajectories = contents.map((content, reward) => ({
        messages_and_choices: [...asked('Are you there?'), { role: 'assistant', content }],
        reward: 1 - reward,
      }))
      for (let step = 1; step <= 5; step++) {
        await train(emulator, client, { model_id, trajectory_groups: [{ trajectories }] })
      }
      const first = await say(client, asked('Any news?'), 0)
      expect(countOf(first, `Reply ${sampled}!`)).toBeLessThan(20)
      const last = await say(client, asked('Any news?'), 5)
      expect(countOf(last, `Reply ${expected}!`)).toBeGreaterThan(30)
    },
  )

  it('learns answers that call tools', async () => {
    const tool = (city: string): NonNullable<Candidates>[number] => {
      return { tool_calls: [{ name: 'weather', arguments: { city } }] }
    }
    const emulator = emulatorOf(1, withCandidates(tool('Rome'), tool('Paris')))
    const client = clientOf(emulator)
    const tools: OpenAI.ChatCompletionTool[] = [
      {
        type: 'function',
        function: {
          name: 'weather',
          parameters: {
            type: 'object',
            properties: { city: { type: 'string' } },
            required: ['city'],
          },
        },
      },
    ]
    const messages = [{ role: 'user' as const, content: 'Do I need an umbrella in Paris?' }]
    const model_id = await modelOf(client)
    const rewarded: number[] = []
    for (let step = 0; step <= 5; step++) {
      const { choices } = await client.chat.completions.create({
        model: `artifact:///local-team/demo/poet:step${step}`,
        messages,
        tools,
        n: 12,
      })
      const rewards = choices.map(({ message }) => {
        return Number(JSON.stringify(message.tool_calls).includes('Paris'))
      })
      rewarded.push(rewards.reduce((sum, each) => sum + each, 0) / 12)
      const trajectories = choices.map((choice, index) => {
        return { messages_and_choices: [...messages, choice], reward: rewards[index]! }
      })
      await train(emulator, client, { model_id, trajectory_groups: [{ trajectories }] })
    }
    expect(rewarded[0]).toBeLessThan(0.6)
    expect(rewarded.at(-1)).toBeGreaterThan(0.8)
  })

  it('learns every answer of a conversation, and of additional histories', async () => {
    const emulator = emulatorOf()
    const client = clientOf(emulator)
    const model_id = await modelOf(client)
    const user = (content: string) => ({ role: 'user', content })
    const assistant = (content: string) => ({ role: 'assistant', content })
    const trajectory = (good: boolean) => ({
      messages_and_choices: [
        user('Guess.'),
        assistant(good ? 'the moon' : 'the sun'),
        user('Again.'),
        assistant(good ? 'a star' : 'a stone'),
      ],
      additional_histories: [
        { messages_and_choices: [user('Sum up.'), assistant(good ? 'sky' : 'ground')] },
      ],
      reward: Number(good),
    })
    for (let step = 1; step <= 5; step++) {
      const trajectory_groups = [{ trajectories: [trajectory(true), trajectory(false)] }]
      await train(emulator, client, { model_id, trajectory_groups })
    }
    const usual = async (messages: object[]): Promise<string> => mostOf(await say(client, messages))
    expect(await usual([user('Guess.')])).toBe('the moon')
    expect(await usual([user('Guess.'), assistant('the moon'), user('Again.')])).toBe('a star')
    expect(await usual([user('Sum up.')])).toBe('sky')
  })

  it('follows rewards that change', async () => {
    const emulator = emulatorOf()
    const client = clientOf(emulator)
    const model_id = await modelOf(client)
    const messages = [{ role: 'user', content: 'left or right?' }]
    const teach = async (rewards: Readonly<Record<string, number>>): Promise<void> => {
      const trajectories = Object.entries(rewards).map(([content, reward]) => {
        return { messages_and_choices: [...messages, { role: 'assistant', content }], reward }
      })
      await train(emulator, client, { model_id, trajectory_groups: [{ trajectories }] })
    }
    for (let step = 1; step <= 5; step++) await teach({ left: 1, right: 0 })
    expect(mostOf(await say(client, messages))).toBe('left')
    await teach({ left: 0, right: 0.5 })
    expect(mostOf(await say(client, messages))).toBe('right')
  })

  describe('with what it has learned', () => {
    const prompt = 'up or down?'
    const messages = [{ role: 'user', content: prompt }]

    /** Teaches a model for five steps that one answer is the best. */
    const teach = async (emulator: Emulator, best: string, steps = 5): Promise<void> => {
      const client = clientOf(emulator)
      const model_id = await modelOf(client)
      const trajectories = ['up', 'down'].map((content) => ({
        messages_and_choices: [...messages, { role: 'assistant', content }],
        reward: Number(content === best),
      }))
      for (let step = 1; step <= steps; step++) {
        await train(emulator, client, { model_id, trajectory_groups: [{ trajectories }] })
      }
    }
    const usual = async (emulator: Emulator, step?: number): Promise<string> => {
      return mostOf(await say(clientOf(emulator), messages, step))
    }

    it('answers by the checkpoint, so an older one answers as before', async () => {
      const emulator = emulatorOf()
      await teach(emulator, 'up')
      const before = await say(clientOf(emulator), messages, 5)
      await teach(emulator, 'down')
      expect(mostOf(await say(clientOf(emulator), messages, 10))).toBe('down')
      expect(mostOf(before)).toBe('up')
      expect(await usual(emulator, 5)).toBe('up')
      expect(
        (await say(clientOf(emulator), messages, 0)).filter((each) => each === 'up').length,
      ).toBeLessThan(20)
    })

    it('learns nothing from a job that fails', async () => {
      const scenario: ScenarioInput = {
        name: 'failing',
        chat: { rules: [{ learner: {} }] },
        jobs: [
          { match: { ordinal: 6 }, timeline: [{ event: 'training_failed', error_message: 'x' }] },
        ],
      }
      const emulator = emulatorOf(1, scenario)
      await teach(emulator, 'up')
      await teach(emulator, 'down', 1).catch(() => {})
      expect(await usual(emulator)).toBe('up')
    })

    it('forgets what a deleted checkpoint knew when its step is reached again', async () => {
      const emulator = emulatorOf()
      await teach(emulator, 'up')
      await teach(emulator, 'down', 1)
      expect(await usual(emulator)).toBe('down')
      const client = clientOf(emulator)
      const model_id = await modelOf(client)
      await client.delete(`/preview/models/${model_id}/checkpoints`, { body: { steps: [6] } })
      expect(await usual(emulator)).toBe('up')
      await train(emulator, client, { model_id, trajectory_groups: [] })
      expect(await usual(emulator)).toBe('up')
    })

    it('continues after a snapshot and in a data folder, also in the middle of a job', async () => {
      const data = mkdtempSync(join(tmpdir(), 'svtrain-learner-'))
      onTestFinished(() => rmSync(data, { recursive: true }))
      const options = { scenario: 'learning-policy', clock: 'manual', data } as const
      const first = createEmulator(options)
      await teach(first, 'up', 4)
      const client = clientOf(first)
      const model_id = await modelOf(client)
      const trajectories = ['up', 'down'].map((content) => ({
        messages_and_choices: [...messages, { role: 'assistant', content }],
        reward: Number(content === 'up'),
      }))
      const body = { model_id, trajectory_groups: [{ trajectories }] }
      await client.post('/preview/training-jobs', { body })
      const snapshot = await first.snapshot()
      await first.close()
      const worlds = [
        createEmulator({ snapshot, clock: 'manual' }),
        createEmulator({ data, clock: 'manual' }),
      ]
      for (const world of worlds) {
        onTestFinished(() => world.close())
        world.clock.advance('1h')
        const answers = await say(clientOf(world), messages, 5)
        expect(answers.filter((each) => each === 'up').length).toBeGreaterThan(30)
      }
      expect(await worlds[0]!.snapshot()).toEqual(
        expect.objectContaining({ records: expect.arrayContaining([]) as unknown }),
      )
    })

    it('forgets everything at a reset, and when its model is deleted', async () => {
      const emulator = emulatorOf()
      await teach(emulator, 'up')
      const client = clientOf(emulator)
      await client.delete(`/preview/models/${await modelOf(client)}`)
      await modelOf(client)
      expect(countOf(await say(client, messages), 'up')).toBeLessThan(20)
      await teach(emulator, 'up')
      emulator.reset()
      await modelOf(clientOf(emulator))
      expect(countOf(await say(clientOf(emulator), messages), 'up')).toBeLessThan(20)
    })
  })

  it('forgets the oldest answers when there are too many, and says so', async () => {
    const emulator = emulatorOf()
    const client = clientOf(emulator)
    const model_id = await modelOf(client)
    const trajectory_groups = Array.from({ length: 20_001 }, (_, group) => ({
      trajectories: ['up', 'down'].map((content, reward) => ({
        messages_and_choices: [
          { role: 'user', content: `Prompt ${group}` },
          { role: 'assistant', content },
        ],
        reward,
      })),
    }))
    await train(emulator, client, { model_id, trajectory_groups })
    const notes = emulator.journal.entries.flatMap((each) =>
      each.kind === 'note' ? each.text : [],
    )
    expect(notes).toContain(
      'the learner forgot its 1 oldest answer: it remembers at most 20,000 answers and 16 million characters',
    )
  })

  it.each([
    '('.repeat(4000),
    '1+'.repeat(2000),
    'a, '.repeat(1300),
    `a${' '.repeat(4000)}a`,
    '"'.repeat(4000),
    'a/'.repeat(2000),
    '9'.repeat(4000),
    '1 x '.repeat(1000),
  ])('answers a strange prompt quickly: %s', async (content) => {
    const emulator = emulatorOf()
    const client = clientOf(emulator)
    await modelOf(client)
    expect(await say(client, [{ role: 'user', content }])).toHaveLength(40)
  })

  it('answers with JSON that matches the format of the request', async () => {
    const emulator = emulatorOf()
    const client = clientOf(emulator)
    await modelOf(client)
    const { choices } = await client.chat.completions.create({
      model: 'artifact:///local-team/demo/poet',
      messages: [{ role: 'user', content: 'yes or no?' }],
      n: 4,
      response_format: {
        type: 'json_schema',
        json_schema: {
          name: 'Word',
          schema: { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] },
        },
      },
    })
    const words = choices.map(
      ({ message }) => (JSON.parse(message.content!) as { word: string }).word,
    )
    expect(new Set(words).size).toBeGreaterThan(1)
  })
})

function clientOf({ trainingUrl: baseURL, apiKey, fetch }: Emulator): OpenAI {
  return new OpenAI({ baseURL, apiKey, fetch, maxRetries: 0 })
}

async function modelOf(client: OpenAI): Promise<string> {
  const body = {
    project: 'demo',
    name: 'poet',
    base_model: 'example/base-8b-instruct',
    return_existing: true,
  }
  return (await client.post<{ id: string }>('/preview/models', { body })).id
}

async function train(emulator: Emulator, client: OpenAI, body: object): Promise<void> {
  await client.post('/preview/training-jobs', { body })
  emulator.clock.advance('1h')
}

/** Asks a checkpoint 40 times. Default: the newest one. */
async function say(client: OpenAI, messages: readonly object[], step?: number): Promise<string[]> {
  const suffix = step === undefined ? '' : `:step${step}`
  const { choices } = await client.chat.completions.create({
    model: `artifact:///local-team/demo/poet${suffix}`,
    messages: messages as OpenAI.ChatCompletionMessageParam[],
    n: 40,
  })
  return choices.map(({ message }) => message.content ?? '')
}

function answersOf(
  emulator: Emulator,
  content: string,
  { step }: { step: number; count: number },
): Promise<string[]> {
  return say(clientOf(emulator), [{ role: 'user', content }], step)
}

async function shareOf(
  emulator: Emulator,
  content: string,
  isRight: (answer: string) => boolean,
  step = 5,
): Promise<number> {
  const answers = await answersOf(emulator, content, { step, count: 40 })
  return answers.filter(isRight).length / answers.length
}

function countOf(answers: readonly string[], answer: string): number {
  return answers.filter((each) => each === answer).length
}

/** The most frequent answer. */
function mostOf(answers: readonly string[]): string {
  return answers.toSorted((a, b) => countOf(answers, b) - countOf(answers, a))[0]!
}

const RULES =
  "You steer a robot on a grid of 4 by 4 fields, from the field 0 0 to 3 3. The possible moves are 'left', 'right', 'up' and 'down'. Return your move as an element, like so: <move>left</move>"
const MOVES: Readonly<Record<string, readonly [number, number]>> = {
  left: [-1, 0],
  right: [1, 0],
  up: [0, 1],
  down: [0, -1],
}

/** Plays a game four times. A move that cannot be read ends it with a reward of -1. */
function playGames(client: OpenAI, step: number): Promise<{ reward: number }[]> {
  return Promise.all([1, 2, 3, 4].map(() => playGame(client, step)))
}

async function playGame(client: OpenAI, step: number): Promise<{ reward: number }> {
  const messages_and_choices: object[] = [{ role: 'system', content: RULES }]
  let [x, y] = [0, 0]
  for (let turn = 0; turn < 6; turn++) {
    messages_and_choices.push({ role: 'user', content: `The robot is on ${x} ${y}.` })
    const { choices } = await client.chat.completions.create({
      model: `artifact:///local-team/demo/poet:step${step}`,
      messages: messages_and_choices as OpenAI.ChatCompletionMessageParam[],
    })
    const content = choices[0]!.message.content ?? ''
    messages_and_choices.push({ role: 'assistant', content })
    const move = MOVES[/^<move>(\w+)<\/move>$/.exec(content)?.[1] ?? '']
    if (!move) return { messages_and_choices, reward: -1 } as { reward: number }
    x = Math.min(3, Math.max(0, x + move[0]))
    y = Math.min(3, Math.max(0, y + move[1]))
  }
  return { messages_and_choices, reward: (x + y) / 6 } as { reward: number }
}
