import { forgetOldest } from '../../../base/text/forget-oldest.js'
import { isRecord } from '../../contract/pydantic/record.js'
import type { ChatMessage } from '../../scenario/chat-facts.js'
import type { RequestEntry } from '../journal.js'
import { wasReceived } from '../received.js'
import { hashOfMessages } from './conversation-hash.js'
import { messageText } from './message-text.js'
import type { Sample } from './sample.js'
import type { Samples } from './samples.js'
import type { FailedCall } from './trained-job.js'

const MOST_FAILED = 1000

/** A shorter text may be in a message by chance, so it must be quoted. */
const LONG_ENOUGH = 12

/** Remembers chats that failed, and answers that a failed call of a judge quoted. */
export class FailedChats {
  /** By the hash of the messages. */
  readonly chats = new Map<number, FailedCall>()
  /** By the number of the sample that was quoted. */
  readonly judged = new Map<number, FailedCall>()
  /** How often failed calls of a judge quoted a text, by a sample with that text. */
  readonly #quoted = new Map<number, number>()

  /** Records a chat that is answered. Returns whether it changed what is known. */
  answered(
    prompt: number,
    messages: readonly ChatMessage[],
    samples: Pick<Samples, 'get'>,
  ): boolean {
    const failed = this.chats.get(prompt)
    const isNew = failed !== undefined && failed.isRepeated === undefined
    if (isNew) failed.isRepeated = true
    if (this.judged.size + this.#quoted.size === 0) return isNew
    const before = this.judged.size
    const text = quotableText(messages)
    for (const calls of [this.judged, this.#quoted]) {
      for (const number of calls.keys()) {
        const sample = samples.get(number)
        if (!sample || timesQuoted(text, sample) > 0) calls.delete(number)
      }
    }
    return isNew || this.judged.size < before
  }

  /** Records a chat without an answer that its client could read. Returns whether it was one. */
  record(entry: RequestEntry, newest: readonly Sample[]): boolean {
    if (!isFailure(entry)) return false
    const { body } = entry
    const messages = isRecord(body) ? body['messages'] : undefined
    if (!Array.isArray(messages)) return false
    const read = messages.filter(isRecord)
    const got = entry.lost === undefined ? String(entry.status) : 'no answer'
    this.chats.set(hashOfMessages(read).value, { what: 'chat', got })
    this.#judge(quotableText(read), newest, got)
    forgetOldest(this.chats, MOST_FAILED)
    return true
  }

  /** Records the call of a judge from whose answer no score can be read. */
  misjudged(messages: readonly ChatMessage[], newest: readonly Sample[], mistake: string): void {
    this.#judge(quotableText(messages), newest, `an answer without a score (${mistake})`)
  }

  /**
   * Records the answers that a failed call quotes. If several have the same text, nobody knows which one is meant,
   * unless as many calls failed.
   */
  #judge(text: string, newest: readonly Sample[], got: string): void {
    for (const sample of newest) {
      const times = timesQuoted(text, sample)
      if (times === 0) continue
      const all = times + (this.#quoted.get(sample.number) ?? 0)
      this.#quoted.set(sample.number, all)
      const same = newest.filter(({ words }) => words === sample.words)
      if (all >= same.length) this.judged.set(sample.number, { what: 'judge', got })
    }
    for (const calls of [this.judged, this.#quoted]) forgetOldest(calls, MOST_FAILED)
  }
}

/** The statuses of messages that are at fault, such as a prompt that is too long. They would fail again. */
const OF_THE_MESSAGES = [400, 413, 422]

/** Whether a chat failed for a reason that says nothing about it. What it asks for may not exist, unless a fault says so. */
function isFailure(entry: RequestEntry): boolean {
  const { status, faults } = entry
  if (status === undefined || status < 400) return !wasReceived(entry)
  if (status >= 500 || status === 429 || status === 408) return true
  return faults.length > 0 && !OF_THE_MESSAGES.includes(status)
}

/** The texts of all messages that the model did not write. */
function quotableText(messages: readonly ChatMessage[]): string {
  return messages
    .filter(({ role }) => role !== 'assistant')
    .map(messageText)
    .join('\n')
}

/** How often a text quotes an answer, as it is or as JSON. */
function timesQuoted(text: string, { text: answer }: Sample): number {
  if (answer === '') return 0
  const written = JSON.stringify(answer)
  const asItIs = answer.length < LONG_ENOUGH ? `>${answer}<` : answer
  const forms = [written, JSON.stringify(written).slice(1, -1), asItIs]
  return Math.max(...forms.map((form) => text.split(form).length - 1))
}
