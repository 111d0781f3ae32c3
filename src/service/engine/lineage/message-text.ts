import { isRecord } from '../../contract/pydantic/record.js'
import { textOf, type ChatMessage } from '../../scenario/chat-facts.js'

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
