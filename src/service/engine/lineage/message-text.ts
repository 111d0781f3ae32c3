import { isRecord } from '../../contract/pydantic/record.js'
import { contentText, type ChatMessage } from '../../scenario/chat-facts.js'

/**
 * Begins the name of a tool call, and its arguments, in the text of a message. It is the character that ASCII has to
 * separate parts. If a model wrote one itself, the text would be shown wrongly, and found as before.
 */
const SEPARATOR = '\u001f'

/** Returns the text of a message with its refusal and its tool calls: all of what a model may have written in it. */
export function messageText(message: ChatMessage): string {
  const { refusal, tool_calls: calls } = message
  let text = contentText(message)
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
  const text = typeof args === 'string' ? args : JSON.stringify(args ?? {})
  return SEPARATOR + name + SEPARATOR + text
}

/** Returns the text of a message for people: `move({"to": "left"})` for a tool call. */
export function shownText(text: string): string {
  const [content = '', ...parts] = text.split(SEPARATOR)
  const shown = content === '' ? [] : [content]
  // Behind the content, each name is followed by its arguments, unless the text was cut in the name.
  for (let at = 0; at < parts.length; at += 2) shown.push(`${parts[at]}(${parts[at + 1] ?? ''})`)
  return shown.join(' ')
}
