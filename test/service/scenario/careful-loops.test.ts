import { describe, expect, it, onTestFinished } from 'vitest'
import { createEmulator, type Emulator, type ScenarioInput } from '../../../src/index.js'
import { findingsIn } from '../../../src/emulator/testing/client-checks.js'
import { BASE_MODEL } from '../../support/api-client.js'
import { seeds } from '../../support/seeds.js'
import { ShortLoop, user } from './short-loop.js'
import { TOKENIZER_FOLDER } from '../../support/tokenizer.js'

/**
 * A loop without a mistake, in each form in which clients submit what they sampled. The client checks find nothing in
 * it, whatever the model answers. `incident-checks.test.ts` has loops that survive an incident.
 */

/** How a client submits the turns of a rollout. */
type Form =
  /** One history of messages and choices, with the ids of tokens. */
  | 'choices'
  /** The same without ids. */
  | 'texts'
  /** The requests and responses of its chats. */
  | 'captured'
  /** A history for each turn. */
  | 'histories'
  /** The same without ids. */
  | 'histories of texts'

interface Choice {
  message: { content: string | null; tool_calls?: { id: string }[] }
  finish_reason: string
}

interface Response {
  choices: [Choice]
  prompt_token_ids: number[] | null
  usage: { total_tokens: number }
}

/** A chat of a rollout. */
interface Turn {
  messages: readonly object[]
  response: Response
}

interface Rollout {
  turns: readonly Turn[]
  reward: number
}

const PROMPTS = ['Name a color and say why.', 'Which number is 42?']
const STEPS = 4
const GROUP = 3
const MOST_TURNS = 3
/** A conversation of more tokens ends, and one that is longer by far is not trained on. */
const MOST_TOKENS = 120
const LONGEST = 190
const MOST_TRIES = 60

const look = { type: 'function', function: { name: 'look', parameters: { type: 'object' } } }

class CarefulLoop {
  readonly #short: ShortLoop
  readonly #form: Form
  #rollouts = 0
  /** The mean reward of the batch that made each step. */
  readonly #rewards = new Map<number, number>()

  constructor(emulator: Emulator, form: Form) {
    this.#short = new ShortLoop(emulator)
    this.#form = form
  }

  /** Returns how many trajectories were not trained on. */
  async run(): Promise<number> {
    let dropped = 0
    for (let step = 0; step < STEPS; step++) {
      const groups: Rollout[][] = []
      for (const prompt of PROMPTS) groups.push(await this.#group(prompt, step))
      const { started } = await this.#short.train(
        ...groups.map((group) => group.map((rollout) => this.#submitted(rollout))),
      )
      dropped += (started['num_dropped_trajectories'] as number | undefined) ?? 0
      const rewards = groups.flat().map(({ reward }) => reward)
      this.#rewards.set(step + 1, rewards.reduce((sum, each) => sum + each) / rewards.length)
      await this.#short.keep(step + 1, this.#best)
    }
    return dropped
  }

  get #best(): number {
    return [...this.#rewards].reduce((best, next) => (next[1] > best[1] ? next : best))[0]
  }

  async #group(prompt: string, step: number): Promise<Rollout[]> {
    const group: Rollout[] = []
    for (let tries = 0; tries < MOST_TRIES && group.length < GROUP; tries++) {
      const turns = await this.#turns(prompt, step)
      if (turns.length === 0 || turns.at(-1)!.response.usage.total_tokens > LONGEST) continue
      const texts = turns.map(({ response }) => response.choices[0].message.content ?? '')
      // The rewards of a group differ, also those of equal answers.
      group.push({ turns, reward: group.length + texts.join('').length / 1000 })
    }
    return group
  }

  async #turns(prompt: string, step: number): Promise<Turn[]> {
    const most = (this.#rollouts++ % MOST_TURNS) + 1
    const turns: Turn[] = []
    let messages: readonly object[] = [user(prompt)]
    while (turns.length < most) {
      const response = await this.#ask(messages, step)
      const [{ message, finish_reason }] = response.choices
      if (finish_reason === 'length') break
      turns.push({ messages, response })
      if (response.usage.total_tokens > MOST_TOKENS) break
      const results = (message.tool_calls ?? []).map(({ id }) => {
        return { role: 'tool', tool_call_id: id, content: 'a bird' }
      })
      messages = [...messages, message, ...(results.length > 0 ? results : [user('Go on.')])]
    }
    return turns
  }

  async #ask(messages: readonly object[], step: number): Promise<Response> {
    const { body } = await this.#short.ask(messages, {
      model: this.#short.named(step),
      logprobs: true,
      return_token_ids: !this.#form.endsWith('texts'),
      // Every second rollout has a tool.
      ...(this.#rollouts % 2 === 0 && { tools: [look] }),
    })
    return body as Response
  }

  #submitted({ turns, reward }: Rollout): object {
    if (this.#form === 'captured') {
      const chat_completions = turns.map(({ messages, response }) => {
        return { request: { messages }, response }
      })
      return { exchanges: { chat_completions }, reward }
    }
    const answers = turns.map(({ response: { choices, prompt_token_ids } }) => {
      return { ...choices[0], ...(prompt_token_ids && { prompt_token_ids }) }
    })
    if (this.#form.startsWith('histories')) {
      const [first, ...others] = turns.map(({ messages }, turn) => [...messages, answers[turn]])
      const additional_histories = others.map((items) => ({ messages_and_choices: items }))
      return { messages_and_choices: first, additional_histories, reward }
    }
    let seen = 0
    const items = turns.flatMap(({ messages }, turn) => {
      const added = [...messages.slice(seen), answers[turn]]
      seen = messages.length + 1
      return added
    })
    return { messages_and_choices: items, reward }
  }
}

const all: readonly Form[] = ['choices', 'texts', 'captured', 'histories', 'histories of texts']

const withTokenizer = {
  name: 'a tokenizer of the model',
  base_models: [{ id: BASE_MODEL, tokenizer: TOKENIZER_FOLDER }],
}

const scenarios: readonly (readonly [scenario: string | ScenarioInput, forms: readonly Form[]])[] =
  [
    ['happy-path', all],
    [withTokenizer, all],
    ['learning-policy', all],
    ['overlong-rows', all],
    ['context-overflow', all],
    // Only the histories have the tokens that were sampled.
    ['retokenized-history', ['histories', 'histories of texts']],
  ]

describe.each(
  scenarios.map(([scenario, forms]) => {
    const name = typeof scenario === 'string' ? scenario : scenario.name
    return { name, scenario, forms }
  }),
)('a careful loop under $name', ({ scenario, forms }) => {
  describe.each(forms)('that submits %s', (form) => {
    it.each(seeds)('makes no mistake, with the seed %i', async (seed) => {
      const emulator = createEmulator({ scenario, seed, clock: 'auto' })
      onTestFinished(() => emulator.close())
      expect(await new CarefulLoop(emulator, form).run()).toBe(0)
      expect(emulator.lineage().jobs).toHaveLength(STEPS)
      expect(findingsIn(emulator)).toEqual([])
    })
  })
})
