import type { Emulator } from '../../src/index.js'
import { BASE_MODEL, clientOf, type Answer, type HostClient } from './api-client.js'
import { createModel, startJob } from './trainer.js'

export type Message = Readonly<Record<string, unknown>>

/** A choice of a chat, as clients keep it. */
export interface Choice {
  message: { role: string; content: string | null; tool_calls?: unknown[] }
  finish_reason: string
  logprobs: unknown
  token_ids?: number[]
  prompt_token_ids?: number[]
}

/** Makes the messages of one question. */
export function question(content: string): Message[] {
  return [{ role: 'user', content }]
}

export interface Rollouts {
  /** The id of the model. */
  id: string
  /** The name of the model in chats. */
  policy: string
  /** The id of its base model. */
  base: string
  chat: (messages: readonly Message[], more?: object) => Promise<Answer>
  /** Asks for an answer, and returns its choice. */
  ask: (messages: readonly Message[], more?: object) => Promise<Choice>
  /** Submits groups of trajectories, and returns the id of the job. */
  submit: (...groups: (readonly object[])[]) => Promise<string>
  /** Submits groups of trajectories, and waits for the end of the job. */
  train: (...groups: (readonly object[])[]) => Promise<string>
}

/** A loop that samples answers of a model and trains it on them. */
export async function rolloutsOf(
  emulator: Emulator,
  client: HostClient = clientOf(emulator),
): Promise<Rollouts> {
  const model = { project: 'demo', name: 'singer', return_existing: true }
  const { id, entity } = await createModel(client, model)
  const policy = `artifact:///${entity}/demo/singer`
  const chat = (messages: readonly Message[], more: object = {}) =>
    client.post('/chat/completions', {
      model: policy,
      messages,
      logprobs: true,
      return_token_ids: true,
      ...more,
    })
  const submit: Rollouts['submit'] = (...groups) =>
    startJob(
      client,
      id,
      groups.map((trajectories) => ({ trajectories })),
    )
  return {
    id,
    policy,
    base: BASE_MODEL,
    chat,
    ask: async (messages, more) => {
      const { body } = await chat(messages, more)
      return { prompt_token_ids: body.prompt_token_ids, ...body.choices[0] }
    },
    submit,
    train: async (...groups) => {
      const job = await submit(...groups)
      if (emulator.job(job).status !== 'ended') emulator.jobs.finish()
      return job
    },
  }
}

/** A trajectory of messages and choices. */
export function trajectory(items: readonly unknown[], reward = 0): object {
  return { messages_and_choices: items, reward }
}

/** Samples a group of answers to a question, each with another reward. */
export async function sampleGroup(
  { ask }: Pick<Rollouts, 'ask'>,
  content: string,
  { size = 2, more = {} }: { size?: number; more?: object } = {},
): Promise<object[]> {
  const messages = question(content)
  const group: object[] = []
  for (let index = 0; index < size; index++) {
    group.push(trajectory([...messages, await ask(messages, more)], index))
  }
  return group
}
