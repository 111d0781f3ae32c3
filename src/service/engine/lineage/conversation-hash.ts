import { mix32 } from '../../../base/random/random.js'
import { isRecord } from '../../contract/pydantic/record.js'
import { textOf, type ChatMessage } from '../../scenario/chat-facts.js'

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
 * A hash of 53 bits that grows. Its two halves do not wait for each other, because each chat and each submit hashes
 * all messages of its conversations.
 */
class RunningHash {
  #a = 0x6a09e667
  #b = 0xbb67ae85

  addText(text: string): void {
    let a = this.#a
    let b = this.#b
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      a = Math.imul(a ^ unit, 0x9e3779b1)
      b = Math.imul(b ^ unit, 0x5f356495)
    }
    this.#a = a
    this.#b = b
    // Where a text ends counts: "ab" and "c" are not "a" and "bc".
    this.addNumber(-1 - text.length)
  }

  addNumber(number: number): void {
    this.#a = Math.imul(this.#a ^ number, 0x9e3779b1)
    this.#b = Math.imul(this.#b ^ number, 0x5f356495)
  }

  copy(): RunningHash {
    const copy = new RunningHash()
    copy.#a = this.#a
    copy.#b = this.#b
    return copy
  }

  get value(): number {
    const a = mix32(this.#a ^ (this.#b >>> 13))
    return mix32(this.#b ^ a) * HIGH + (a >>> 11)
  }
}

const HIGH = 2 ** 21

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

/** Returns the hash of a text alone. */
export function hashOfText(text: string): number {
  const hash = new RunningHash()
  hash.addText(text)
  return hash.value
}

/** Returns the hash of token ids. 0 if there are none. */
export function hashOfIds(ids: readonly number[]): number {
  if (ids.length === 0) return 0
  const hash = new RunningHash()
  for (const id of ids) hash.addNumber(id)
  return hash.value
}

/** Separates the parts of the text of a message. No text of a model has it. */
const SEPARATOR = '\u001f'

/** Returns the text of a message with its refusal and its tool calls: all of what a model may have written in it. */
export function messageText(message: ChatMessage): string {
  const { refusal, tool_calls: calls } = message
  let text = textOf(message)
  if (typeof refusal === 'string') text += refusal
  if (!Array.isArray(calls)) return text
  for (const call of calls as readonly unknown[]) {
    const called = isRecord(call) ? call['function'] : undefined
    if (!isRecord(called)) continue
    text += callText(String(called['name']), called['arguments'])
  }
  return text
}

/** Returns a tool call as a part of the text of a message. */
export function callText(name: string, args: unknown): string {
  return `${SEPARATOR}${name}${SEPARATOR}${typeof args === 'string' ? args : JSON.stringify(args ?? {})}`
}

/** Returns the text of a message for people: `move({"to": "left"})` for a tool call. */
export function shownText(text: string): string {
  const [content = '', ...calls] = text.split(SEPARATOR)
  const shown = calls.flatMap((part, index) =>
    index % 2 === 0 ? [`${part}(${calls[index + 1]})`] : [],
  )
  return [...(content === '' ? [] : [content]), ...shown].join(' ')
}
