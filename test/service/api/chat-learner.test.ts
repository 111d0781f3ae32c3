import OpenAI from 'openai'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  createEmulator,
  type Emulator,
  type EmulatorOptions,
  type ScenarioInput,
} from '../../../src/index.js'
import { BASE_MODEL } from '../../support/api-client.js'
import { temporaryFolder } from '../../support/temporary-folder.js'
import { loops, meanRewards, type Loop } from '../training-loop.js'

const SEEDS = Array.from({ length: 10 }, (_, index) => index + 1)

function emulatorOf(options: EmulatorOptions = {}): Emulator {
  const emulator = createEmulator({ scenario: 'learning-policy', clock: 'manual', ...options })
  onTestFinished(() => emulator.close())
  return emulator
}

type Candidates = NonNullable<
  NonNullable<NonNullable<ScenarioInput['chat']>['rules']>[number]['learner']
>['candidates']

function withCandidates(...candidates: NonNullable<Candidates>): EmulatorOptions {
  return { scenario: { name: 'given', chat: { rules: [{ learner: { candidates } }] } } }
}

type Message = OpenAI.ChatCompletionMessageParam

const user = (content: string): Message => ({ role: 'user', content })
const assistant = (content: string): Message => ({ role: 'assistant', content })

/** What an answer, or several, are worth. */
type Rewards = Readonly<Record<string, number>>

/** A model that a test teaches, and asks. */
class Pupil {
  readonly emulator: Emulator
  readonly client: OpenAI
  #id: string | undefined

  constructor(emulator = emulatorOf()) {
    this.emulator = emulator
    const { trainingUrl: baseURL, apiKey, fetch } = emulator
    this.client = new OpenAI({ baseURL, apiKey, fetch, maxRetries: 0 })
  }

  /** Creates the model. A model that is there stays. */
  async id(): Promise<string> {
    const fields = { project: 'demo', name: 'poet', base_model: BASE_MODEL }
    const body = { ...fields, return_existing: true }
    this.#id ??= (await this.client.post<{ id: string }>('/preview/models', { body })).id
    return this.#id
  }

  /** Deletes the model, and creates another one with its name. */
  async replace(): Promise<void> {
    await this.client.delete(`/preview/models/${await this.id()}`)
    this.#id = undefined
    await this.id()
  }

  async submit(...groups: readonly (readonly object[])[]): Promise<void> {
    const trajectory_groups = groups.map((trajectories) => ({ trajectories }))
    const body = { model_id: await this.id(), trajectory_groups }
    await this.client.post('/preview/training-jobs', { body })
  }

  /** Trains a step on groups of trajectories. */
  async train(...groups: readonly (readonly object[])[]): Promise<void> {
    await this.submit(...groups)
    this.emulator.clock.advance('1h')
  }

  /** Trains some steps on answers to one conversation. */
  async teach(messages: readonly Message[], rewards: Rewards, steps = 5): Promise<void> {
    for (let step = 1; step <= steps; step++) await this.train(answered(messages, rewards))
  }

  /** The choices of a checkpoint. Default: the newest one. */
  async choices(messages: readonly Message[], more: { step?: number; n?: number; tools?: Tools }) {
    const { step, ...others } = more
    const suffix = step === undefined ? '' : `:step${step}`
    const model = `artifact:///local-team/demo/poet${suffix}`
    const asked = { model, messages: [...messages], ...others }
    return (await this.client.chat.completions.create(asked)).choices
  }

  /** Forty answers of a checkpoint. Default: of the newest one. */
  async say(messages: readonly Message[], step?: number): Promise<string[]> {
    const asked = { n: 40, ...(step !== undefined && { step }) }
    return (await this.choices(messages, asked)).map(({ message }) => message.content ?? '')
  }

  /** The most frequent answer. */
  async usual(messages: readonly Message[], step?: number): Promise<string> {
    const answers = await this.say(messages, step)
    return answers.toSorted((a, b) => countOf(answers, b) - countOf(answers, a))[0]!
  }
}

type Tools = OpenAI.ChatCompletionTool[]

function answered(messages: readonly Message[], rewards: Rewards): object[] {
  return Object.entries(rewards).map(([content, reward]) => {
    return { messages_and_choices: [...messages, assistant(content)], reward }
  })
}

function countOf(answers: readonly string[], answer: string): number {
  return answers.filter((each) => each === answer).length
}

function meanOf(rewards: readonly number[]): number {
  return rewards.reduce((sum, each) => sum + each, 0) / rewards.length
}

describe('a model that learns', () => {
  describe.each(Object.keys(loops))('gets better within five steps: %s', (name) => {
    it.each(SEEDS)('with the seed %i', async (seed) => {
      const means = await meanRewards(emulatorOf({ seed }), loops[name]!)
      expect(means[5]).toBeGreaterThan(means[0]! + (seed === 1 ? 0.1 : 0))
    })
  })

  it('gives the same rewards in every run, and others with another seed', async () => {
    const run = (seed: number) => meanRewards(emulatorOf({ seed }), loops['graded words']!)
    const first = await run(1)
    expect(await run(1)).toEqual(first)
    expect(await run(2)).not.toEqual(first)
  })

  it.each(['messages', 'exchanges'] as const)(
    'learns from trajectories that are sent as %s',
    async (form) => {
      const means = await meanRewards(emulatorOf(), { ...loops['graded words']!, form })
      expect(means[5]).toBeGreaterThan(means[0]! + 0.2)
    },
  )

  it('answers prompts better that were never trained, if they are of the same kind', async () => {
    const pupil = new Pupil()
    await meanRewards(pupil.emulator, loops['exact sums']!)
    const prompt = [user('23 + 19')]
    expect(countOf(await pupil.say(prompt, 5), '42')).toBeGreaterThan(24)
    expect(countOf(await pupil.say(prompt, 0), '42')).toBeLessThan(16)
  })

  it.each([
    ['the last number', '5', '6'],
    ['a sentence with the last number', 'The answer is 5.', 'The answer is 6.'],
    ['the first half', 'Ann has 3 apples. Bob has', 'Ann has 12 apples. Bob has'],
  ])('answers a new prompt with %s if that was best before', async (_what, best, expected) => {
    const pupil = new Pupil()
    const asked = user('Ann has 3 apples. Bob has 8 pears. Cy has 5 plums.')
    await pupil.teach([asked], { [best]: 1, '3': 0 })
    const answers = await pupil.say([user('Ann has 12 apples. Bob has 7 pears. Cy has 6 plums.')])
    expect(countOf(answers, expected)).toBeGreaterThan(30)
  })

  it('answers like the example of a move in its prompt, and learns the best one', async () => {
    const pupil = new Pupil()
    const messages: Message[] = [{ role: 'system', content: RULES }, user('The robot is on 0 0.')]
    await pupil.id()
    const moves = new Set(await pupil.say(messages, 0))
    expect(moves.size).toBeGreaterThan(1)
    for (const move of moves) expect(move).toMatch(/^<move>(?:left|right|up|down)<\/move>$/)
    await pupil.teach(messages, { '<move>up</move>': 1, '<move>left</move>': 0 })
    expect(await pupil.usual(messages)).toBe('<move>up</move>')
  })

  it('learns nothing if all rewards of a group are the same', async () => {
    const pupil = new Pupil()
    const { prompts } = loops['graded words']!
    const rewards: Loop['rewards'] = (group) => group.map(({ task }) => task)
    await meanRewards(pupil.emulator, { prompts, rewards })
    const asked = [user(prompts[0]!)]
    const [first, last] = [await pupil.say(asked, 0), await pupil.say(asked, 5)]
    expect(new Set(last).size).toBeGreaterThan(new Set(first).size / 2)
  })

  it('needs the right answer among its candidates if no prompt names it', async () => {
    const right = ['Shakespeare', 'Michelangelo']
    const loop: Loop = {
      prompts: ['Who wrote Hamlet?', 'Who painted the ceiling?'],
      rewards: (group) => group.map(({ task, answer }) => Number(answer === right[task])),
    }
    expect(await meanRewards(emulatorOf(), loop)).toEqual([0, 0, 0, 0, 0, 0])
    const given = emulatorOf(withCandidates(...right, 'Homer'))
    expect((await meanRewards(given, { ...loop, steps: 8 })).at(-1)).toBeGreaterThan(0.8)
  })

  it.each([
    ['turn', '1', '1'],
    ['step', '0', '5'],
    ['model', 'artifact:///local-team/demo/poet:step0', 'artifact:///local-team/demo/poet:step5'],
  ])(
    'learns a kind of answer that has the %s in it, and gives it to other prompts',
    async (what, sampled, expected) => {
      const candidates = withCandidates(`Reply {{${what}}}!`, `Wait {{${what}}}!`)
      const pupil = new Pupil(emulatorOf(candidates))
      const asked = (content: string): Message[] => [
        { role: 'system', content: 'Be brief.' },
        user(content),
      ]
      const rewards = { [`Reply ${sampled}!`]: 1, [`Wait ${sampled}!`]: 0 }
      await pupil.teach(asked('Are you there?'), rewards)
      const first = await pupil.say(asked('Any news?'), 0)
      expect(countOf(first, `Reply ${sampled}!`)).toBeLessThan(20)
      const last = await pupil.say(asked('Any news?'), 5)
      expect(countOf(last, `Reply ${expected}!`)).toBeGreaterThan(30)
    },
  )

  it('fills in the texts of a candidate as those of an answer, and ends as it says', async () => {
    const call = { name: 'say', arguments: { text: '{{user}}' } }
    const given = withCandidates({ tool_calls: [call], finish_reason: 'length' })
    const tools: Tools = [{ type: 'function', function: { name: 'say', parameters: {} } }]
    const content = 'Say "yes"\nor no.'
    const pupil = new Pupil(emulatorOf(given))
    await pupil.id()
    const choices = await pupil.choices([user(content)], { step: 0, tools, n: 12 })
    const said = choices.filter(({ finish_reason: reason }) => reason === 'length')
    expect(said.length).toBeGreaterThan(0)
    for (const { message } of said) {
      const [made] = message.tool_calls as { function: { arguments: string } }[]
      expect(JSON.parse(made!.function.arguments)).toEqual({ text: content })
    }
  })

  it('learns answers that call tools', async () => {
    const call = (city: string) => ({ tool_calls: [{ name: 'weather', arguments: { city } }] })
    const pupil = new Pupil(emulatorOf(withCandidates(call('Rome'), call('Paris'))))
    const parameters = { type: 'object', properties: { city: { type: 'string' } } }
    const tools: Tools = [{ type: 'function', function: { name: 'weather', parameters } }]
    const messages = [user('Do I need an umbrella in Paris?')]
    await pupil.id()
    const means: number[] = []
    for (let step = 0; step <= 5; step++) {
      const choices = await pupil.choices(messages, { step, tools, n: 12 })
      const group = choices.map((choice) => {
        const reward = Number(JSON.stringify(choice.message.tool_calls).includes('Paris'))
        return { messages_and_choices: [...messages, choice], reward }
      })
      means.push(meanOf(group.map(({ reward }) => reward)))
      await pupil.train(group)
    }
    expect(means[0]).toBeLessThan(0.6)
    expect(means.at(-1)).toBeGreaterThan(0.8)
  })

  it('learns every answer of a conversation, and of additional histories', async () => {
    const pupil = new Pupil()
    const trajectory = (
      reward: number,
      [guess, again, sum]: readonly [string, string, string],
    ) => ({
      messages_and_choices: [user('Guess.'), assistant(guess), user('Again.'), assistant(again)],
      additional_histories: [{ messages_and_choices: [user('Sum up.'), assistant(sum)] }],
      reward,
    })
    const group = [
      trajectory(1, ['the moon', 'a star', 'sky']),
      trajectory(0, ['the sun', 'a stone', 'ground']),
    ]
    for (let step = 1; step <= 5; step++) await pupil.train(group)
    expect(await pupil.usual([user('Guess.')])).toBe('the moon')
    const later = [user('Guess.'), assistant('the moon'), user('Again.')]
    expect(await pupil.usual(later)).toBe('a star')
    expect(await pupil.usual([user('Sum up.')])).toBe('sky')
  })

  it('follows rewards that change', async () => {
    const pupil = new Pupil()
    const messages = [user('left or right?')]
    await pupil.teach(messages, { left: 1, right: 0 })
    expect(await pupil.usual(messages)).toBe('left')
    await pupil.teach(messages, { left: 0, right: 0.5 }, 1)
    expect(await pupil.usual(messages)).toBe('right')
  })

  describe('with what it has learned', () => {
    const messages = [user('up or down?')]
    const up = { up: 1, down: 0 }
    const down = { up: 0, down: 1 }

    it('answers by the checkpoint, so an older one answers as before', async () => {
      const pupil = new Pupil()
      await pupil.teach(messages, up)
      await pupil.teach(messages, down)
      expect(await pupil.usual(messages, 10)).toBe('down')
      expect(await pupil.usual(messages, 5)).toBe('up')
      expect(countOf(await pupil.say(messages, 0), 'up')).toBeLessThan(20)
    })

    it('learns nothing from a job that fails', async () => {
      const failing = { event: 'training_failed', error_message: 'x' } as const
      const scenario: ScenarioInput = {
        name: 'failing',
        chat: { rules: [{ learner: {} }] },
        jobs: [{ match: { ordinal: 6 }, timeline: [failing] }],
      }
      const pupil = new Pupil(emulatorOf({ scenario }))
      await pupil.teach(messages, up)
      await pupil.teach(messages, down, 1)
      expect(await pupil.usual(messages)).toBe('up')
    })

    it('forgets what a deleted checkpoint knew when its step is reached again', async () => {
      const pupil = new Pupil()
      await pupil.teach(messages, up)
      await pupil.teach(messages, down, 1)
      expect(await pupil.usual(messages)).toBe('down')
      const path = `/preview/models/${await pupil.id()}/checkpoints`
      await pupil.client.delete(path, { body: { steps: [6] } })
      expect(await pupil.usual(messages)).toBe('up')
      await pupil.train()
      expect(await pupil.usual(messages)).toBe('up')
    })

    it('continues after a snapshot and in a data folder, also in the middle of a job', async () => {
      const data = temporaryFolder()
      const first = new Pupil(emulatorOf({ data }))
      await first.teach(messages, up, 4)
      await first.submit(answered(messages, up))
      const snapshot = await first.emulator.snapshot()
      await first.emulator.close()
      for (const options of [{ snapshot }, { data }]) {
        const later = new Pupil(emulatorOf(options))
        later.emulator.clock.advance('1h')
        expect(countOf(await later.say(messages, 5), 'up')).toBeGreaterThan(30)
      }
    })

    it('forgets everything at a reset, and when its model is deleted', async () => {
      const pupil = new Pupil()
      await pupil.teach(messages, up)
      await pupil.replace()
      expect(countOf(await pupil.say(messages), 'up')).toBeLessThan(20)
      await pupil.teach(messages, up)
      pupil.emulator.reset()
      const later = new Pupil(pupil.emulator)
      await later.id()
      expect(countOf(await later.say(messages), 'up')).toBeLessThan(20)
    })
  })

  it('forgets the oldest answers when there are too many, and says so', async () => {
    const pupil = new Pupil()
    const groups = Array.from({ length: 20_001 }, (_, group) => {
      return answered([user(`Prompt ${group}`)], { up: 0, down: 1 })
    })
    await pupil.train(...groups)
    const notes = pupil.emulator.journal.entries.filter((each) => each.kind === 'note')
    expect(notes.map(({ text }) => text)).toContain(
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
    const pupil = new Pupil()
    await pupil.id()
    expect(await pupil.say([user(content)])).toHaveLength(40)
  })

  it('answers with JSON that matches the format of the request', async () => {
    const pupil = new Pupil()
    await pupil.id()
    const schema = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] }
    const { choices } = await pupil.client.chat.completions.create({
      model: 'artifact:///local-team/demo/poet',
      messages: [user('yes or no?')],
      n: 4,
      response_format: { type: 'json_schema', json_schema: { name: 'Word', schema } },
    })
    const words = choices.map(({ message }) => {
      return (JSON.parse(message.content!) as { word: string }).word
    })
    expect(new Set(words).size).toBeGreaterThan(1)
  })
})

const RULES =
  "You steer a robot on a grid of 4 by 4 fields, from the field 0 0 to 3 3. The possible moves are 'left', 'right', 'up' and 'down'. Return your move as an element, like so: <move>left</move>"
