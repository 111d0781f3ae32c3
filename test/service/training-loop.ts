import OpenAI from 'openai'
import { judgeRequest, scoresIn } from '../support/judge-request.js'
import type { Emulator } from '../../src/index.js'

/** A rollout of a training loop: a prompt, and what the model answered. */
export interface Rollout {
  prompt: string
  /** The index of the prompt. */
  task: number
  answer: string
}

export interface Loop {
  prompts: readonly string[]
  /** Returns the rewards of a group of rollouts. */
  rewards: (group: readonly Rollout[], client: OpenAI) => number[] | Promise<number[]>
  /** The number of rollouts of each prompt. Default: 4. */
  rollouts?: number
  /** The number of training steps. Default: 5. */
  steps?: number
  /** How rollouts are submitted. Default: as choices. */
  form?: 'choices' | 'messages' | 'exchanges'
  /** The fetch of the transport. Default: that of the emulator. */
  fetch?: typeof fetch
}

/**
 * Runs a training loop: rollouts with the newest checkpoint, their rewards, a training job, and so on.
 *
 * @returns The mean reward at each checkpoint, from the untrained one to the last.
 */
export async function meanRewards(emulator: Emulator, loop: Loop): Promise<number[]> {
  const { trainingUrl: baseURL, apiKey } = emulator
  const { rollouts = 4, steps = 5, fetch = emulator.fetch } = loop
  const client = new OpenAI({ baseURL, apiKey, fetch, maxRetries: 0 })
  const { id, entity } = await client.post<{ id: string; entity: string }>('/preview/models', {
    body: { project: 'demo', name: 'poet', base_model: 'example/base-8b-instruct' },
  })
  const means: number[] = []
  for (let step = 0; step <= steps; step++) {
    const model = `artifact:///${entity}/demo/poet:step${step}`
    const groups = await Promise.all(
      loop.prompts.map((prompt, task) => gather(client, { loop, model, prompt, task, rollouts })),
    )
    const rewards = groups.flatMap((group) => group.map(({ reward }) => reward))
    means.push(rewards.reduce((sum, each) => sum + each, 0) / rewards.length)
    if (step === steps) break
    const job = await client.post<{ id: string }>('/preview/training-jobs', {
      body: { model_id: id, trajectory_groups: groups.map((trajectories) => ({ trajectories })) },
    })
    emulator.clock.advance('1h')
    const { status } = await client.get<{ status: string }>(`/preview/training-jobs/${job.id}`)
    if (status !== 'ended') throw new Error(`The job is ${status}`)
  }
  return means
}

interface Gathering {
  loop: Loop
  model: string
  prompt: string
  task: number
  rollouts: number
}

async function gather(client: OpenAI, { loop, model, prompt, task, rollouts }: Gathering) {
  const messages = [{ role: 'user' as const, content: prompt }]
  const request = { model, messages }
  const answered: OpenAI.ChatCompletion[] = []
  for (let index = 0; index < rollouts; index++) {
    answered.push(await client.chat.completions.create(request))
  }
  const group = answered.map(({ choices }) => {
    return { prompt, task, answer: choices[0]!.message.content ?? '' }
  })
  const rewards = await loop.rewards(group, client)
  return answered.map((response, index) => {
    const [choice] = response.choices
    const { content } = choice!.message
    const forms = {
      choices: { messages_and_choices: [...messages, choice] },
      messages: { messages_and_choices: [...messages, { role: 'assistant', content }] },
      exchanges: { exchanges: { chat_completions: [{ request, response, model }] } },
    }
    return { ...forms[loop.form ?? 'choices'], reward: rewards[index]! }
  })
}

/** Asks a judge for the rewards of a group. */
export async function judge(group: readonly Rollout[], client: OpenAI): Promise<number[]> {
  const request = judgeRequest(group.map(({ answer }) => answer))
  const { choices } = await client.chat.completions.create(request)
  return scoresIn(choices[0]!.message.content).map(({ score }) => score)
}

/** Ordinary training loops. No prompt and no reward is made for the emulator. */
export const loops: Readonly<Record<string, Pick<Loop, 'prompts' | 'rewards'>>> = {
  'graded words': {
    prompts: [
      'respond with yes, no or maybe',
      "respond with 'maybe', 'yes' or 'no'",
      'Answer "no" or "yes" or "maybe".',
      'hmm: yes, maybe',
      'Say one of: no, maybe, yes',
      'pick no/yes/maybe',
      'respond with maybe or no',
      'Only answer with yes, maybe, or no.',
    ],
    rewards: (group) => {
      return group.map(
        ({ answer }) => ({ maybe: 1, no: 0.75, yes: 0.5 })[answer.toLowerCase()] ?? 0,
      )
    },
  },
  'exact sums': {
    prompts: ['2+2', 'What is 17 + 25?', '9 * 7 = ?', 'Compute 100 - 58.'].concat([
      'What is 12 times 12?',
      'How much is 81 divided by 9?',
      '3 + 4 * 5',
      '(1 + 2) * 6?',
    ]),
    rewards: (group) => group.map(({ task, answer }) => Number(answer.trim() === RESULTS[task])),
  },
  'similarity to a reference': {
    prompts: [
      'What is the capital of France?',
      'Who wrote Hamlet?',
      'Which planet is the largest?',
      'Translate to French: the sea',
      'Summarize: The cat sat on the mat and slept.',
      'Name a primary color.',
      'What do bees make?',
      'When did the war end?',
    ],
    rewards: (group) => group.map(({ task, answer }) => similarity(answer, REFERENCES[task]!)),
  },
  'a judge': {
    prompts: Array.from({ length: 8 }, (_, index) => `Write a line about topic ${index + 1}.`),
    rewards: judge,
  },
}

const RESULTS = ['4', '42', '63', '42', '144', '9', '23', '18']
const REFERENCES = [
  'The capital of France is Paris.',
  'Hamlet was written by Shakespeare.',
  'Jupiter is the largest planet.',
  'la mer',
  'The cat slept on the mat.',
  'Red is a primary color.',
  'Bees make honey.',
  'The war ended in 1945.',
]

/** The share of words that two texts have in common. */
function similarity(one: string, other: string): number {
  const words = (text: string): Set<string> => new Set(text.toLowerCase().match(/\w+/g))
  const [a, b] = [words(one), words(other)]
  const common = [...a].filter((word) => b.has(word)).length
  return common / Math.max(1, a.size + b.size - common)
}
