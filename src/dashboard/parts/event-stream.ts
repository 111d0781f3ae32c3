import { parsed } from './json-text.js'

/** The server-sent events of a body. */
export interface EventStreamText {
  /** The data of each event. */
  events: readonly string[]
  /** What a chat wrote, piece by piece. Empty if the events are not those of a chat. */
  written: string
  /** The reason for which the chat ended: `stop`. */
  finished: string | undefined
  /** Whether the last event says that there are no more. */
  done: boolean
}

/** Reads server-sent events, also if the last one is cut off. */
export function readEventStream(body: string): EventStreamText {
  const events = body
    .split(/\r?\n\r?\n/)
    .map(dataOf)
    .filter((data) => data !== '')
  const choices = events.map(firstChoice)
  return {
    events,
    written: choices.map(({ delta, text }) => asText(delta?.content) + asText(text)).join(''),
    finished: choices.map(({ finish_reason: reason }) => asText(reason)).findLast(Boolean),
    done: events.at(-1) === '[DONE]',
  }
}

interface Choice {
  index?: unknown
  delta?: { content?: unknown }
  text?: unknown
  finish_reason?: unknown
}

/** The data of one event. Empty if it has none. */
export function dataOf(block: string): string {
  const lines = block.split(/\r?\n/).filter((line) => line.startsWith('data:'))
  return lines.map((line) => line.slice('data:'.length).replace(/^ /, '')).join('\n')
}

/** A chat with `n` has more choices, which come in other events. */
function firstChoice(data: string): Choice {
  const { choices } = Object(parsed(data)) as { choices?: unknown }
  const [choice] = Array.isArray(choices) ? (choices as unknown[]) : []
  const read = Object(choice) as Choice
  return read.index === undefined || read.index === 0 ? read : {}
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
