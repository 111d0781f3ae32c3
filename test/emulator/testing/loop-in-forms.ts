import { createEmulator, type Emulator, type EmulatorOptions } from '../../../src/index.js'
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

/** How a client submits the chats of a rollout. */
export const forms = {
  /** One history with all choices. */
  choices: (turns: Turns): object => ({
    messages_and_choices: oneHistory(turns, (choice) => choice),
  }),
  /** One history of plain messages. */
  messages: (turns: Turns): object => ({
    messages_and_choices: oneHistory(turns, ({ message }) => message),
  }),
  /** A history for each chat. */
  histories: (turns: Turns): object => ({
    additional_histories: turns.map(({ messages, body: { choices } }) => ({
      messages_and_choices: [...messages, choices[0]],
    })),
  }),
  /** The calls as a client captures them. */
  exchanges: (turns: Turns): object => ({
    exchanges: {
      chat_completions: turns.map(({ messages, body }) => ({
        request: { messages },
        response: body,
      })),
    },
  }),
}

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
  /** Submits groups of trajectories for a model. Returns the id of the job. */
  submit: (model: string, groups: readonly (readonly object[])[]) => Promise<string>
  /** Submits groups of trajectories, and waits for the end of the job. */
  train: (...groups: (readonly object[])[]) => Promise<void>
  log: (split: string, trajectories: readonly object[]) => Promise<Answer>
  /** The checks that find something. */
  found: () => CheckName[]
}

/** Makes a loop that submits all answers in one form. `config` is the `experimental_config` of its jobs. */
export async function loopIn(
  form: Form,
  { config = STRICT, ...options }: EmulatorOptions & { config?: object } = {},
): Promise<Loop> {
  const emulator = createEmulator({ clock: 'manual', ...options })
  const { id, base, policy, chat } = await rolloutsOf(emulator)
  const client = clientOf(emulator)
  const ask: Loop['ask'] = async (prompt, more) => {
    const messages = typeof prompt === 'string' ? question(prompt) : prompt
    return { messages, body: (await chat(messages, more)).body as Body }
  }
  const trajectory: Loop['trajectory'] = (turns, reward) => {
    return { ...forms[form]('body' in turns ? [turns] : turns), reward }
  }
  const rollouts: Loop['rollouts'] = async (prompt, rewards, more) => {
    const all: object[] = []
    for (const reward of rewards) all.push(trajectory(await ask(prompt, more), reward))
    return all
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
    submit,
    train,
    log,
    found,
  }
}
