import { isRecord } from '../../contract/pydantic/record.js'
import type { ChatMessage } from '../../scenario/chat-facts.js'
import type { RequestEntry } from '../journal.js'
import { wasReceived } from '../received.js'
import { hashOfMessages, messageText } from './conversation-hash.js'
import type { Sample } from './sample.js'
import type { FailedCall } from './trained-job.js'

const MOST_FAILED = 1000

/** A shorter text may be in a message by chance, so it must be quoted. */
const LONG_ENOUGH = 12

/** Remembers chats that failed and were not repeated, and answers that a failed call of a judge quoted. */
export class FailedChats {
  /** By the hash of the messages. */
  readonly chats = new Map<number, FailedCall>()
  /** By the number of the sample that was quoted. */
  readonly judged = new Map<number, FailedCall>()

  /** Records a chat that is answered: the same messages no longer count as failed. */
  answered(prompt: number, messages: readonly ChatMessage[], samples: SampleTexts): void {
    this.chats.delete(prompt)
    if (this.judged.size === 0) return
    const text = quotableText(messages)
    for (const number of this.judged.keys()) {
      const sample = samples.get(number)
      if (!sample || quotes(text, sample)) this.judged.delete(number)
    }
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
    const text = quotableText(read)
    for (const sample of newest) {
      if (!quotes(text, sample)) continue
      this.judged.set(sample.number, { what: 'judge', got })
    }
    forgetOldest(this.chats)
    forgetOldest(this.judged)
    return true
  }
}

interface SampleTexts {
  get: (number: number) => Sample | undefined
}

/** Whether a chat failed for a reason that says nothing about its messages. A refused request would fail again. */
function isFailure(entry: RequestEntry): boolean {
  const { status } = entry
  if (status === undefined || status < 400) return !wasReceived(entry)
  return status >= 500 || status === 429 || status === 408
}

/** The texts of all messages that the model did not write. */
function quotableText(messages: readonly ChatMessage[]): string {
  return messages
    .filter(({ role }) => role !== 'assistant')
    .map(messageText)
    .join('\n')
}

/** Whether a text quotes an answer, as it is or as JSON. */
function quotes(text: string, { text: answer }: Sample): boolean {
  if (answer === '') return false
  const written = JSON.stringify(answer)
  if (text.includes(written) || text.includes(JSON.stringify(written).slice(1, -1))) return true
  if (answer.length < LONG_ENOUGH) return text.includes(`>${answer}<`)
  return text.includes(answer)
}

function forgetOldest(known: Map<number, FailedCall>): void {
  for (const key of known.keys()) {
    if (known.size <= MOST_FAILED) break
    known.delete(key)
  }
}
