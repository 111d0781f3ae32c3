import type { Emulator } from '../../src/index.js'
import {
  question,
  rolloutsOf,
  type Choice,
  type Message,
  type Rollouts,
} from '../support/rollouts.js'

/** A training run of three jobs. */
export interface TrainingRun {
  /** The ids of the jobs, oldest first. */
  readonly jobs: readonly string[]
  /** The id of the model. */
  readonly model: string
}

interface Rollout {
  messages_and_choices: (Message | Choice)[]
  reward: number
}

/**
 * Trains three jobs on 25 groups. The first job has answers of the newest checkpoint. In the second one, half of
 * the groups have two turns, and the others are one step behind. The groups of the third one have what goes wrong
 * in loops:
 *
 * - Group 0 has changed answers. Groups 1 to 3 are as they should be.
 * - Group 4 is two steps behind, group 5 is of the base model, and all answers of group 6 but one are of no chat.
 * - Group 7 has equal rewards, and group 8 is one of the first job.
 *
 * No job uses the last answer.
 *
 * @param size - The number of trajectories in each group. Their rewards go from 0 to 1. Default: 8.
 */
export async function trainThreeJobs(emulator: Emulator, size = 8): Promise<TrainingRun> {
  const rollouts = await rolloutsOf(emulator)
  const sampled = (count: number, sampling: Sampling) =>
    groupsOf(rollouts, { count, size }, sampling)
  const first = await sampled(8, { ask: 'Sing of spring.' })
  const old = await sampled(5, { ask: 'Sing of summer.' })
  const jobs = [await rollouts.train(...first)]
  const second = await sampled(4, { ask: 'Sing of fall.', turns: 2 })
  jobs.push(await rollouts.train(...second, ...old.slice(1)))
  const [edited, ...third] = await sampled(4, { ask: 'Sing of winter.' })
  const base = await sampled(1, { ask: 'Rhyme.', model: rollouts.base })
  const [dreams] = await sampled(1, { ask: 'Dream.' })
  const [hums] = await sampled(1, { ask: 'Hum.' })
  const groups = [
    edited!.map(longer),
    ...third,
    old[0]!,
    ...base,
    dreams!.map((each, index) =>
      index === 0 ? each : ofNoChat(each, `I dreamed ${index} times.`),
    ),
    hums!.map((each) => ({ ...each, reward: 0.5 })),
    first[0]!,
  ]
  jobs.push(await rollouts.train(...groups))
  await rollouts.ask(question('Wake up.'))
  return { jobs, model: rollouts.id }
}

interface Sampling {
  /** The question. */
  ask: string
  turns?: number
  /** The name of the model in chats. Default: the newest checkpoint. */
  model?: string
}

async function groupsOf(
  rollouts: Rollouts,
  { count, size }: { count: number; size: number },
  sampling: Sampling,
): Promise<Rollout[][]> {
  const groups: Rollout[][] = []
  for (let group = 0; group < count; group++) {
    const rows: Rollout[] = []
    for (let index = 0; index < size; index++) {
      const messages_and_choices = await conversation(rollouts, group, sampling)
      rows.push({ messages_and_choices, reward: index / (size - 1) })
    }
    groups.push(rows)
  }
  return groups
}

async function conversation(
  rollouts: Rollouts,
  verse: number,
  { ask, turns = 1, model = rollouts.policy }: Sampling,
): Promise<Rollout['messages_and_choices']> {
  const items: Rollout['messages_and_choices'] = []
  const messages: Message[] = []
  for (let turn = 0; turn < turns; turn++) {
    const asked = question(turn === 0 ? `${ask} Verse ${verse}.` : 'Go on.')
    messages.push(...asked)
    const choice = await rollouts.ask(messages, { model })
    items.push(...asked, choice)
    messages.push({ ...choice.message })
  }
  return items
}

/** A trajectory whose answer has more text than was sampled. */
function longer({ reward, messages_and_choices: [asked, choice] }: Rollout): Rollout {
  const { message } = choice as Choice
  const edited = { ...message, content: `${message.content} And so on.` }
  return { reward, messages_and_choices: [asked!, { ...(choice as Choice), message: edited }] }
}

/** A trajectory with an answer that no chat gave. */
function ofNoChat({ reward, messages_and_choices: [asked] }: Rollout, content: string): Rollout {
  const message = { role: 'assistant', content }
  const choice = { index: 0, finish_reason: 'stop', logprobs: null, message }
  return { reward, messages_and_choices: [asked!, choice] }
}
