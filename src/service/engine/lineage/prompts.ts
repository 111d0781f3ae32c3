import type { Conversation } from './conversation-hash.js'

/** Where the first answer of a trajectory is. */
export interface FirstAnswer {
  readonly conversation: Conversation
  readonly turn: number
}

/** The beginning of a trajectory of a group. */
export interface Beginning {
  /** The hash of its prompt. */
  readonly begins: number
  /** Undefined if it has no answer, or if its first one was captured with its whole prompt. */
  readonly first: FirstAnswer | undefined
}

/** What the trajectories of a group say after the same messages. */
interface Fork {
  /** The places of those that go on with a reply. */
  readonly members: number[]
  /** The hashes of what they say up to this reply. */
  readonly replies: Set<number>
  /** Whether a first answer is among the replies. */
  isAnswered: boolean
}

/**
 * Returns the hash of the prompt of each trajectory of a group: the same one for those with the same prompt. A turn of
 * an agent before the first choice is an answer, too, and an example in a prompt is not. So replies to the same messages
 * are answers if they differ, or if one of them is a first answer: then the prompt ends before them. All that reply
 * there have the same prompt, in whatever order they are.
 */
export function promptsOf(group: readonly Beginning[]): number[] {
  const prompts = group.map(({ begins }) => begins)
  if (new Set(prompts).size < 2) return prompts
  for (const { members, replies, isAnswered } of forksIn(group)) {
    if (!isAnswered && replies.size < 2) continue
    const united = new Set(members.map((member) => prompts[member]))
    if (united.size < 2) continue
    const common = prompts[members[0]!]!
    for (const [at, prompt] of prompts.entries()) if (united.has(prompt)) prompts[at] = common
  }
  return prompts
}

function forksIn(group: readonly Beginning[]): Iterable<Fork> {
  const forks = new Map<number, Fork>()
  for (const [member, { first }] of group.entries()) {
    if (!first) continue
    const { conversation, turn } = first
    for (let at = 0; at <= turn; at++) {
      if (!conversation.isReplyAt(at)) continue
      const before = conversation.hashOf(at)
      const fork = forks.get(before) ?? { members: [], replies: new Set(), isAnswered: false }
      forks.set(before, fork)
      fork.members.push(member)
      fork.replies.add(conversation.hashOf(at + 1))
      fork.isAnswered ||= at === turn
    }
  }
  return forks.values()
}
