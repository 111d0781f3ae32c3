const GROUP_SIZE = 4

/** So many trajectories in groups of four, their rewards varied and always the same. */
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

export const TRAINING_DATA = 'artifact:///team/play/data:v0'
