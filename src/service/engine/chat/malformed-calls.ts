import { parseJson } from '../../../base/text/json-text.js'
import { parsePythonJson } from '../../contract/pydantic/python-json.js'
import type { ChatMessage } from '../../scenario/chat-facts.js'
import { functionOf } from './tool-function.js'

/**
 * Finds a call in the history of a chat whose arguments are not JSON, as when an agent sends a bad answer back. Returns
 * what Python says about the arguments, which older servers answer with 400.
 */
export function malformedCallIn(messages: readonly ChatMessage[]): string | undefined {
  for (const { role, tool_calls: calls } of messages) {
    if (role !== 'assistant' || !Array.isArray(calls)) continue
    for (const call of calls as unknown[]) {
      const { arguments: args } = functionOf(call)
      const isBad = typeof args === 'string' && args !== '' && parseJson(args) === undefined
      const problem = isBad ? problemIn(args) : undefined
      if (problem !== undefined) return problem
    }
  }
  return undefined
}

function problemIn(text: string): string | undefined {
  const read = parsePythonJson(text)
  if (read.kind !== 'error') return undefined
  const lines = Array.from(text).slice(0, read.position).join('').split('\n')
  const column = Array.from(lines.at(-1)!).length + 1
  return `${read.message}: line ${lines.length} column ${column} (char ${read.position})`
}
