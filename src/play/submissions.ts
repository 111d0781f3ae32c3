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
      { role: 'user', content: `What is ${group} + ${place}?` },
      { role: 'assistant', content: `It is ${group + place}.` },
    ],
    reward: ((group * 3 + place * 7) % 11) / 10,
  }
}

interface Rollout {
  messages: readonly unknown[]
  /** A text that good answers contain. */
  reward: string
}

/** Turns the choices of a completion into one group of trajectories with rewards. */
export function rolloutGroups(completion: unknown, { messages, reward }: Rollout): unknown[] {
  const { choices = [] } = Object(completion) as { choices?: { message?: { content?: unknown } }[] }
  const trajectories = choices.map((choice) => ({
    messages_and_choices: [...messages, choice],
    reward: String(choice.message?.content).includes(reward) ? 1 : 0,
  }))
  return [{ trajectories }]
}

export const TRAINING_DATA = 'artifact:///team/play/data:v0'
