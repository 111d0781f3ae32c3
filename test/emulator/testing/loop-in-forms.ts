import type { Emulator, EmulatorOptions } from '../../../src/index.js'
import { createSavedEmulator } from '../../support/saved-emulator.js'
import { findingsIn } from '../../../src/emulator/testing/client-checks.js'
import type { CheckName } from '../../../src/service/scenario/check-names.js'
import { clientOf, type Answer, type ApiClient } from '../../support/api-client.js'
import {
  question,
  rolloutsOf,
  type Choice,
  type Message,
  type Rollouts,
} from '../../support/rollouts.js'

/** The setting of a job that the client always sends: answers without log probabilities are not trained. */
export const STRICT = { allow_training_without_logprobs: false }

/** The body of a chat with one answer. */
export interface Body {
  readonly id?: string
  readonly choices: readonly [Choice, ...Choice[]]
}

/** A chat of a rollout. */
export interface Turn {
  readonly messages: readonly Message[]
  readonly body: Body
}

export type Turns = readonly [Turn, ...Turn[]]

/** Makes what a client submits for the chats of a rollout. */
type Submitted = (turns: Turns) => object

/** How a client submits the chats of a rollout. */
export const forms = {
  /** One history with all choices. */
  choices: (turns) => ({
    messages_and_choices: oneHistory(turns, (choice) => choice),
  }),
  /** One history of plain messages. */
  messages: (turns) => ({
    messages_and_choices: oneHistory(turns, ({ message }) => message),
  }),
  /** A history for each chat. */
  histories: (turns) => ({
    additional_histories: turns.map(({ messages, body: { choices } }) => ({
      messages_and_choices: [...messages, choices[0]],
    })),
  }),
  /** The calls as a client captures them. */
  exchanges: (turns) => ({
    exchanges: {
      chat_completions: turns.map(({ messages, body }) => ({
        request: { messages },
        response: body,
      })),
    },
  }),
} satisfies Record<string, Submitted>

export type Form = keyof typeof forms

export const formNames = Object.keys(forms) as Form[]

/** The messages of the last chat with the answers in their places. */
function oneHistory(turns: Turns, answerOf: (choice: Choice) => object): object[] {
  const items: object[] = [...turns.at(-1)!.messages]
  for (const { messages, body } of turns) items[messages.length] = answerOf(body.choices[0])
  return items
}

/** Makes the messages that continue a chat: its answer as it came, and the next question. */
export function next({ messages, body: { choices } }: Turn, content: string): Message[] {
  return [...messages, choices[0].message, ...question(content)]
}

/** An answer that no chat of the emulator gave, with all that a chat says about one. */
export function foreign(text: string, messages = question('Sing.')): Turn {
  const token = { token: text, logprob: -0.1, bytes: null, top_logprobs: [] }
  const choice = {
    index: 0,
    finish_reason: 'stop',
    message: { role: 'assistant', content: text },
    logprobs: { content: [token] },
    token_ids: [21],
  }
  return { messages, body: { id: `other-${text}`, choices: [choice] } }
}

/** Questions, or the messages of a chat. */
type Prompt = string | readonly Message[]

export interface Loop extends Pick<Rollouts, 'id' | 'base' | 'policy' | 'chat'> {
  emulator: Emulator
  client: ApiClient
  ask: (prompt: Prompt, more?: object) => Promise<Turn>
  /** Makes a trajectory of one chat, or of several. */
  trajectory: (turns: Turn | Turns, reward: number) => object
  /** Samples a trajectory for each reward. */
  rollouts: (prompt: Prompt, rewards: readonly number[], more?: object) => Promise<object[]>
  /** Makes two trajectories, with the rewards 0 and 1. */
  pair: (make: () => Promise<Turn | Turns>) => Promise<object[]>
  /** Asks a first question, and then for more. */
  twoTurns: (prompt: Prompt, more?: object) => Promise<readonly [Turn, Turn]>
  /** Submits groups of trajectories for a model. Returns the id of the job. */
  submit: (model: string, groups: readonly (readonly object[])[]) => Promise<string>
  /** Submits groups of trajectories, and waits for the end of the job. */
  train: (...groups: (readonly object[])[]) => Promise<void>
  log: (split: string, trajectories: readonly object[]) => Promise<Answer>
  /** The checks that find something. */
  found: () => CheckName[]
}

interface LoopOptions {
  /** The `experimental_config` of its jobs. */
  config?: object
  /** What its chats ask for, besides their messages. */
  asked?: object
}

/** Makes a loop on an emulator of its own. Its clock is manual. */
export function loopIn(
  form: Form | Submitted,
  { config, asked, ...options }: EmulatorOptions & LoopOptions = {},
): Promise<Loop> {
  const emulator = createSavedEmulator({ clock: 'manual', ...options })
  return loopOn(emulator, form, { ...(config && { config }), ...(asked && { asked }) })
}

/** Makes a loop that submits all answers in one form. */
export async function loopOn(
  emulator: Emulator,
  form: Form | Submitted,
  { config = STRICT, asked }: LoopOptions = {},
): Promise<Loop> {
  const submitted = typeof form === 'string' ? forms[form] : form
  const { id, base, policy, chat } = await rolloutsOf(emulator)
  const client = clientOf(emulator)
  const ask: Loop['ask'] = async (prompt, more) => {
    const messages = typeof prompt === 'string' ? question(prompt) : prompt
    return { messages, body: (await chat(messages, { ...asked, ...more })).body as Body }
  }
  const trajectory: Loop['trajectory'] = (turns, reward) => {
    return { ...submitted('body' in turns ? [turns] : turns), reward }
  }
  const rollouts: Loop['rollouts'] = async (prompt, rewards, more) => {
    const all: object[] = []
    for (const reward of rewards) all.push(trajectory(await ask(prompt, more), reward))
    return all
  }
  const pair: Loop['pair'] = async (make) => [
    trajectory(await make(), 0),
    trajectory(await make(), 1),
  ]
  const twoTurns: Loop['twoTurns'] = async (prompt, more) => {
    const first = await ask(prompt, more)
    return [first, await ask(next(first, 'Again.'), more)]
  }
  const submit: Loop['submit'] = async (model, groups) => {
    const { body } = await client.post('/preview/training-jobs', {
      model_id: model,
      trajectory_groups: groups.map((trajectories) => ({ trajectories })),
      experimental_config: config,
    })
    return (body as { id: string }).id
  }
  const train: Loop['train'] = async (...groups) => {
    const job = await submit(id, groups)
    emulator.jobs.finish()
    await client.get(`/preview/training-jobs/${job}`)
  }
  const log: Loop['log'] = (split, trajectories) => {
    return client.post(`/preview/models/${id}/log`, {
      split,
      trajectory_groups: [{ trajectories }],
    })
  }
  const found: Loop['found'] = () => [...new Set(findingsIn(emulator).map(({ check }) => check))]
  return {
    emulator,
    client,
    id,
    base,
    policy,
    chat,
    ask,
    trajectory,
    rollouts,
    pair,
    twoTurns,
    submit,
    train,
    log,
    found,
  }
}
