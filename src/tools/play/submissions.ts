const GROUP_SIZE = 4

/** Returns this many trajectories, in groups of four. Their rewards vary, but are the same in each run. */
export function trajectoryGroups(count: number): unknown[] {
  return Array.from({ length: Math.ceil(count / GROUP_SIZE) }, (_, group) => {
    const size = Math.min(GROUP_SIZE, count - group * GROUP_SIZE)
    return {
      trajectories: Array.from({ length: size }, (__, place) => trajectory(group, place)),
    }
  })
}

function trajectory(group: number, place: number) {
  return {
    messages_and_choices: [
      { role: 'user', content: `What is ${group} + 0?` },
      { role: 'assistant', content: `It is ${group + place}.` },
    ],
    reward: ((group * 3 + place * 7) % 11) / 10,
  }
}

interface Rollout {
  /** The body of the chat request. */
  request: object
  messages: readonly unknown[]
  /** A text that good answers contain. */
  reward: string
}

/** Turns the choices of completions into one group of trajectories with rewards. */
export function messageGroup(completions: readonly unknown[], rollout: Rollout): unknown {
  const { messages, reward } = rollout
  const trajectories = completions.flatMap(choicesIn).map((choice) => ({
    messages_and_choices: [...messages, choice],
    reward: rewardOf(choice, reward),
  }))
  return { trajectories }
}

/** Turns completions into one group of trajectories, each with the whole HTTP call. */
export function exchangeGroup(completions: readonly unknown[], rollout: Rollout): unknown {
  const { request, reward } = rollout
  const trajectories = completions.map((response) => ({
    exchanges: { chat_completions: [{ request, response }] },
    reward: rewardOf(choicesIn(response)[0], reward),
  }))
  return { trajectories }
}

/** A choice of an answer that may have anything anywhere. */
export interface PlayedChoice {
  message?: { content?: unknown; tool_calls?: unknown } | null
  logprobs?: { content?: unknown } | null
}

export function choicesIn(completion: unknown): readonly PlayedChoice[] {
  const { choices } = Object(completion) as { choices?: unknown }
  return Array.isArray(choices) ? choices.map((choice) => Object(choice) as PlayedChoice) : []
}

function rewardOf(choice: PlayedChoice | undefined, reward: string): number {
  return String(choice?.message?.content).includes(reward) ? 1 : 0
}

export const TRAINING_DATA = 'artifact:///team/play/data:v0'
