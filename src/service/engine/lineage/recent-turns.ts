import type { ChatMessage } from '../../scenario/chat-facts.js'
import { ConversationHash } from './conversation-hash.js'
import { driftBetween, type TokenDrift, type TurnIds } from './drift.js'

/** About 8 MB. */
const MOST_IDS = 1_000_000

/**
 * The token ids of the newest turns, of models whose tokens may drift. A client that submits only texts shows no ids, so
 * the prompt of a turn is compared when the turn is sampled. The ids are not saved: what a restored world finds begins
 * with its own turns.
 */
export class RecentTurns {
  /** By the hash of the messages with the answer, oldest first. */
  readonly #turns = new Map<number, TurnIds>()
  readonly #most: number
  #size = 0

  /** @param most - How many ids are remembered. */
  constructor(most = MOST_IDS) {
    this.#most = most
  }

  /** Remembers a turn. `through` is the hash of its messages with its answer. */
  add(through: number, turn: TurnIds): void {
    this.#forget(through)
    this.#turns.set(through, turn)
    this.#size += sizeOf(turn)
    for (const oldest of this.#turns.keys()) {
      if (this.#size <= this.#most) break
      this.#forget(oldest)
    }
  }

  /** Finds where the prompt of a conversation does not continue its last turn. Undefined for a turn that is not known. */
  driftIn(messages: readonly ChatMessage[], prompt: readonly number[]): TokenDrift | undefined {
    const hash = new ConversationHash()
    let last: TurnIds | undefined
    for (const message of messages) {
      hash.addMessage(message)
      if (message['role'] === 'assistant') last = this.#turns.get(hash.value)
    }
    return last && driftBetween(last, prompt)
  }

  #forget(through: number): void {
    const turn = this.#turns.get(through)
    if (!turn) return
    this.#turns.delete(through)
    this.#size -= sizeOf(turn)
  }
}

function sizeOf({ prompt, answer }: TurnIds): number {
  return prompt.length + answer.length
}
