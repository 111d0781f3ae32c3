import { describe, expect, it, onTestFinished } from 'vitest'
import { createEmulator, type Emulator } from '../../../src/index.js'
import { findingsIn } from '../../../src/emulator/testing/client-checks.js'
import { judgeRequest, scoresIn } from '../../support/judge-request.js'
import { seeds } from '../../support/seeds.js'
import { ShortLoop, user, type Scored } from './short-loop.js'

/** What a careful loop does, and a careless one does not. */
interface Care {
  /** Repeats a call that failed, in place of a reward of 0. */
  repeats: boolean
  /** Samples again if an answer was cut off. */
  wholeAnswers: boolean
  /** Names one step for a whole rollout. */
  oneStep: boolean
  /** Stops if the scores of a judge, or the answers of model and base model, do not differ. */
  compares: boolean
}

const careful: Care = { repeats: true, wholeAnswers: true, oneStep: true, compares: true }

const PROMPTS = ['Say <answer>yes</answer> or <answer>no</answer>.', 'Name a color.']
const STEPS = 4
const ROLLOUTS = 2
const MOST_TRIES = 60

/** A loop of rollouts with two turns, which a judge scores if there is one. */
class Loop {
  readonly #short: ShortLoop
  readonly #care: Care

  constructor(emulator: Emulator, care: Care) {
    this.#short = new ShortLoop(emulator)
    this.#care = care
  }

  async run(judged: boolean): Promise<void> {
    for (let step = 1; step <= STEPS; step++) {
      if (this.#care.compares && !(await this.#isApplied())) return
      const groups: Scored[][] = []
      for (const prompt of PROMPTS) groups.push(await this.#group(prompt, judged))
      const kept = this.#care.compares ? groups.filter(differs) : groups
      if (kept.length > 0) await this.#short.train(...kept)
    }
  }

  async #group(prompt: string, judged: boolean): Promise<Scored[]> {
    const group: Scored[] = []
    for (let rollout = 0; rollout < ROLLOUTS; rollout++) group.push(await this.#rollout(prompt))
    if (!judged) return group
    const last = group.map(({ messages_and_choices: items }) => textOf(items.at(-1)))
    const { status, body } = await this.#call([], judgeRequest(last))
    const scores = status === 200 ? scoresIn(body.choices[0].message.content) : []
    return group.map((each, index) => ({ ...each, reward: scores[index]?.score ?? 0 }))
  }

  async #rollout(prompt: string): Promise<Scored> {
    const step = this.#care.oneStep ? await this.#short.newestStep() : undefined
    const model = this.#short.named(step)
    const items: object[] = [user(prompt)]
    const messages: object[] = [user(prompt)]
    let reward = 0
    for (let turn = 0; turn < 2; turn++) {
      const { status, body } = await this.#call(messages, { model, max_tokens: 400 })
      if (status !== 200) return { messages_and_choices: items, reward: 0 }
      const [choice] = body.choices
      items.push(choice, user('Another one.'))
      messages.push(choice.message, user('Another one.'))
      reward += (choice.message.content as string).length / 1000
    }
    return { messages_and_choices: items.slice(0, -1), reward }
  }

  async #call(messages: object[], more: object) {
    for (let tries = 1; tries <= MOST_TRIES; tries++) {
      const answer = await this.#short.ask(messages, more)
      const isFailed = answer.status !== 200 && this.#care.repeats
      const isCut = answer.body.choices?.[0].finish_reason === 'length' && this.#care.wholeAnswers
      if (!isFailed && !isCut) return answer
    }
    throw new Error(`No whole answer in ${MOST_TRIES} tries`)
  }

  async #isApplied(): Promise<boolean> {
    const step = await this.#short.newestStep()
    if (step === 0) return true
    const answers = async (more: object): Promise<unknown[]> => {
      const all = ['What is 2 + 2?', 'Tell me about the sea.', ...PROMPTS].map((probe) => {
        return this.#probe(probe, more)
      })
      return Promise.all(all)
    }
    const trained = await answers({ model: this.#short.named(step) })
    return JSON.stringify(trained) !== JSON.stringify(await answers({}))
  }

  /** At temperature 0 an answer that is cut off is always cut off. */
  async #probe(probe: string, more: object): Promise<unknown> {
    for (let tries = 1; tries <= MOST_TRIES; tries++) {
      const { status, body } = await this.#short.ask([user(probe)], { temperature: 0, ...more })
      if (status === 200) return body.choices[0].message.content
    }
    throw new Error(`No answer in ${MOST_TRIES} tries`)
  }
}

function textOf(item: unknown): string {
  const { message, content } = item as { message?: { content: string }; content?: string }
  return message?.content ?? content ?? ''
}

function differs(group: readonly Scored[]): boolean {
  return new Set(group.map(({ reward }) => reward)).size > 1
}

async function findings(
  scenario: string,
  { care, seed = 1 }: { care: Care; seed?: number },
): Promise<string[]> {
  const emulator = createEmulator({ scenario, seed, clock: 'auto' })
  onTestFinished(() => emulator.close())
  await new Loop(emulator, care).run(scenario.startsWith('judge'))
  const found = findingsIn(emulator).map(({ check }) => check)
  // Each warning is a note as well, where it happened.
  const notes = emulator.journal.entries.map((entry) => (entry.kind === 'note' ? entry.text : ''))
  for (const check of found) {
    expect(notes.some((text) => text.includes(`(${check}: false allows it)`))).toBe(true)
  }
  return found
}

const incidents: readonly (readonly [scenario: string, careless: Partial<Care>, check: string])[] =
  [
    ['judge-down', { repeats: false, compares: false }, 'failedCallsScored'],
    ['judge-scores-zero', { compares: false }, 'equalRewards'],
    ['cut-off-answers', { wholeAnswers: false }, 'cutOffAnswers'],
    ['policy-moves-mid-rollout', { oneStep: false }, 'mixedCheckpoints'],
    ['adapter-not-applied', { compares: false }, 'baseModelAnswers'],
    ['cold-adapter', { repeats: false, compares: false }, 'failedCallsScored'],
  ]

describe.each(incidents)('%s', (scenario, careless, check) => {
  it(`shows a careless loop by ${check}`, async () => {
    expect(await findings(scenario, { care: { ...careful, ...careless } })).toContain(check)
  })

  it.each(seeds)('shows nothing of a careful loop, with the seed %i', async (seed) => {
    expect(await findings(scenario, { care: careful, seed })).toEqual([])
  })
})
