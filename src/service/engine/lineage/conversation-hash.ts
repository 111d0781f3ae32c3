import { hash128, type Hash128 } from '../../../base/random/random.js'
import { isRecord } from '../../contract/pydantic/record.js'
import { textOf, type ChatMessage } from '../../scenario/chat-facts.js'

/**
 * A hash of the messages of a conversation so far. Only the role and the text of a message count: clients add fields
 * such as `refusal: null` when they send an answer back. It grows message by message, so that the hashes of all
 * beginnings of a conversation cost one pass over it.
 */
export class ConversationHash {
  #mixed = EMPTY

  /** Adds a message. `text` is what `messageText` returns. */
  add(role: string, text: string): this {
    this.#mixed = mixed(mixed(this.#mixed, hashOfText(role)), hashOfText(text))
    return this
  }

  /** Returns a hash of the same messages, to which others can be added. */
  copy(): ConversationHash {
    const copy = new ConversationHash()
    copy.#mixed = this.#mixed
    return copy
  }

  /** The hash of the messages so far: a whole number of 53 bits. */
  get value(): number {
    return this.#mixed
  }
}

/** Returns the hash of a conversation. */
export function hashOfMessages(messages: readonly ChatMessage[]): ConversationHash {
  const hash = new ConversationHash()
  for (const message of messages) hash.add(String(message['role']), messageText(message))
  return hash
}

const HIGH = 2 ** 21
const EMPTY = 0x6a09e667 * HIGH

/** Mixes two hashes of 53 bits into one. The order counts. */
function mixed(one: number, other: number): number {
  const a = Math.imul((one / HIGH) ^ (other & 0x1fffff), 0x9e3779b1)
  const b = Math.imul((one & 0x1fffff) ^ (other / HIGH) ^ (a >>> 15), 0x85ebca77)
  return (Math.imul(a ^ b, 0xc2b2ae3d) >>> 0) * HIGH + (b >>> 11)
}

const MOST_REMEMBERED = 4096
const LONGEST_REMEMBERED = 65_536
/** Rollouts send the messages of a conversation again with each turn. */
const remembered = new Map<string, number>()

/** Returns the hash of a text alone. */
export function hashOfText(text: string): number {
  const known = remembered.get(text)
  if (known !== undefined) return known
  const hash = shortened(hash128(text))
  if (text.length > LONGEST_REMEMBERED) return hash
  if (remembered.size === MOST_REMEMBERED) remembered.clear()
  remembered.set(text, hash)
  return hash
}

/** Returns the hash of token ids. 0 if there are none. */
export function hashOfIds(ids: readonly number[]): number {
  return ids.length === 0 ? 0 : shortened(hash128(ids.join(' ')))
}

/** The first 53 bits of a hash: as many as a number can have. */
function shortened([a, b]: Hash128): number {
  return a * HIGH + (b >>> 11)
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
