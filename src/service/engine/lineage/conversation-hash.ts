import { isRecord } from '../../contract/pydantic/record.js'
import type { ChatMessage } from '../../scenario/chat-facts.js'
import { messageText } from './message-text.js'
import { RunningHash } from './running-hash.js'

/**
 * A hash of the messages of a conversation so far. Only the role and the text of a message count: clients add fields
 * such as `refusal: null` when they send an answer back. It grows message by message, so that the hashes of all
 * beginnings of a conversation cost one pass over it.
 */
export class ConversationHash {
  #hash = new RunningHash()

  /** Adds a message. `text` is what `messageText` returns. */
  add(role: string, text: string): this {
    this.#hash.addText(role)
    this.#hash.addText(text)
    return this
  }

  addMessage(message: ChatMessage): this {
    return this.add(String(message['role']), messageText(message))
  }

  /** Returns a hash of the same messages, to which others can be added. */
  copy(): ConversationHash {
    const copy = new ConversationHash()
    copy.#hash = this.#hash.copy()
    return copy
  }

  /** The hash of the messages so far: a whole number of 53 bits. */
  get value(): number {
    return this.#hash.value
  }
}

/**
 * The messages and choices of a conversation. The hashes of its beginnings cost a pass over its texts, and most answers
 * are found without them, so they are made when somebody asks for them.
 */
export class Conversation {
  readonly #items: readonly unknown[]
  #hash: ConversationHash | undefined
  /** The hash of what is before the first item, of the first item, of the first two, and so on, as far as they are made. */
  readonly #hashes: number[] = []

  constructor(items: readonly unknown[]) {
    this.#items = items
  }

  /** Returns the hash of the first items. */
  hashOf(count: number): number {
    const hash = (this.#hash ??= new ConversationHash())
    if (this.#hashes.length === 0) this.#hashes.push(hash.value)
    while (this.#hashes.length <= count) {
      const item = this.#items[this.#hashes.length - 1]
      if (isRecord(item)) addItem(hash, item)
      this.#hashes.push(hash.value)
    }
    return this.#hashes[count]!
  }

  /** Whether an item is an answer of the model, or the result of its call. */
  isReplyAt(index: number): boolean {
    const { role, message } = Object(this.#items[index]) as ChatMessage
    return isRecord(message) || role === 'assistant' || role === 'tool'
  }

  /** Returns the hashes of all beginnings, the whole conversation included. */
  beginnings(): number[] {
    return this.#items.map((_, index) => this.hashOf(index + 1))
  }
}

/** Adds a message, or the answer in a choice. */
function addItem(hash: ConversationHash, item: ChatMessage): void {
  const { message } = item
  if (isRecord(message)) hash.add('assistant', messageText(message))
  else hash.addMessage(item)
}

/** Returns the hash of a conversation. */
export function hashOfMessages(messages: readonly ChatMessage[]): ConversationHash {
  const hash = new ConversationHash()
  for (const message of messages) hash.addMessage(message)
  return hash
}
