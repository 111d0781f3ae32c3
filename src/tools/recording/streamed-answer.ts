import { readJson } from '../../service/contract/answer-text.js'
import { fieldsOf, listIn, textIn, type Fields } from './exchanges.js'

/** What a stream of events adds up to. */
export interface StreamedAnswer {
  /** What its chunks add up to, in the form of an answer at once, or what failed. Undefined: it has no event. */
  readonly received: unknown
  /** The event that says what failed, in place of the rest of the answer. */
  readonly failure: string | undefined
  /** Whether it has its end. */
  readonly isWhole: boolean
}

const DONE = '[DONE]'

/** Reads the stream of a chat. */
export function streamedAnswer(text: string): StreamedAnswer {
  const choices = new Map<number, Choice>()
  let isDone = false
  let isEmpty = true
  for (const { data, isError } of eventsIn(text)) {
    const read = readJson(data)
    const value = fieldsOf(read?.value)
    const isFailure = read ? (value['error'] ?? null) !== null : isText(data)
    if (isError || isFailure) return { received: read?.value, failure: data, isWhole: false }
    isDone ||= data === DONE
    // A stream that breaks off ends with a part of an event.
    isEmpty &&= !read && data !== DONE
    for (const part of listIn(value['choices'])) addPart(choices, fieldsOf(part))
  }
  const all = [...choices.values()].map(({ fields, message, calls }): Fields => {
    return { ...fields, message: { ...message, tool_calls: calls } }
  })
  const isOver = all.length > 0 && all.every((choice) => textIn(choice['finish_reason']))
  const received = isEmpty ? undefined : { choices: all }
  return { received, failure: undefined, isWhole: isDone || isOver }
}

/** Whether data is no part of JSON, and not what a recorder writes in its place. */
function isText(data: string): boolean {
  return /^[^[{]/.test(data)
}

/** The data of each event, which may have several lines. JSON may have a line end of Unicode in a text. */
function eventsIn(text: string): { data: string; isError: boolean }[] {
  return text.split(/(?:\r\n|\n|\r(?!\n)){2}/).flatMap((block) => {
    const lines = block.split(/\r\n|\n|\r/)
    const data = lines.flatMap((line) => /^data: ?(.*)$/s.exec(line)?.[1] ?? [])
    if (data.length === 0) return []
    return [{ data: data.join('\n'), isError: lines.some((line) => /^event: ?error$/.test(line)) }]
  })
}

interface Choice {
  /** All that its parts had. */
  readonly fields: Record<string, unknown>
  readonly message: Record<string, unknown>
  readonly calls: { function: Record<string, unknown> }[]
}

function addPart(choices: Map<number, Choice>, { index, delta, ...others }: Fields): void {
  const choice = choices.get(Number(index)) ?? { fields: {}, message: {}, calls: [] }
  choices.set(Number(index), choice)
  for (const [name, value] of Object.entries(others)) {
    choice.fields[name] = value ?? choice.fields[name] ?? null
  }
  append(choice.message, fieldsOf(delta), ['content', 'refusal'])
  for (const each of listIn(fieldsOf(delta)['tool_calls'])) {
    const { index: place, function: called } = fieldsOf(each)
    const call = (choice.calls[Number(place)] ??= { function: {} })
    append(call.function, fieldsOf(called), ['name', 'arguments'])
  }
}

function append(to: Record<string, unknown>, from: Fields, names: readonly string[]): void {
  for (const name of names) {
    const added = textIn(from[name])
    if (added !== undefined) to[name] = (textIn(to[name]) ?? '') + added
  }
}
