import { messageOrChoice } from '../contract/message.js'
import { INVALID, Reader } from '../contract/pydantic/reader.js'
import type { TrajectoryGroup } from '../contract/trajectory.js'

/**
 * Returns the place of the first message that the documented schema does not allow. Undefined if it allows all of
 * them. A scenario that accepts any message uses it for a hint.
 */
export function findOddMessage(groups: readonly TrajectoryGroup[]): string | undefined {
  const reader = new Reader(true, 'unchecked')
  for (const [group, { trajectories = [] }] of groups.entries()) {
    for (const [trajectory, { messages_and_choices = [] }] of trajectories.entries()) {
      for (const [index, message] of messages_and_choices.entries()) {
        if (messageOrChoice.read(message, reader) !== INVALID) continue
        return `trajectory_groups.${group}.trajectories.${trajectory}.messages_and_choices.${index}`
      }
    }
  }
  return undefined
}
