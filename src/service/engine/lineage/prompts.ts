import type { Conversation } from './conversation-hash.js'

/** Where the first answer of a trajectory is. */
export interface FirstAnswer {
  readonly conversation: Conversation
  readonly turn: number
}

/**
 * Gives trajectories with the same prompt the same hash. A turn of an agent before the first choice is an answer, too,
 * and an example in a prompt is not: so two have the same prompt if they first differ in what the model said, or in the
 * result of its call.
 *
 * @param firsts - The first answer of each. Undefined if it has none, or if it was captured with its whole prompt.
 */
export function unitePrompts(
  trajectories: readonly { begins: number }[],
  firsts: readonly (FirstAnswer | undefined)[],
): void {
  const known = new Map<number, FirstAnswer>()
  for (const [index, trajectory] of trajectories.entries()) {
    const first = firsts[index]
    if (!first || known.has(trajectory.begins)) continue
    const same = [...known].find(([, other]) => sharePrompt(first, other))
    if (same) trajectory.begins = same[0]
    else known.set(trajectory.begins, first)
  }
}

function sharePrompt(one: FirstAnswer, other: FirstAnswer): boolean {
  const end = Math.min(one.turn, other.turn)
  let at = 0
  while (at < end && one.conversation.hashOf(at + 1) === other.conversation.hashOf(at + 1)) at++
  return one.conversation.isReplyAt(at) && other.conversation.isReplyAt(at)
}
