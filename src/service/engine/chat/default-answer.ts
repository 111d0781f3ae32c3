import type { FilledReply } from './answer.js'
import { toolsToCall, type ChatParams } from './chat-params.js'
import type { Draws } from './draws.js'
import type { Libraries } from './libraries.js'
import { namedCount } from './named-count.js'

/**
 * Returns the answer if no rule matches: a call of a tool that the request offers, JSON if the request asks for
 * it, or random sentences. Those begin with thinking if the model `thinks`. Calls no tool if the last message is from a tool, so that loops of calls end.
 */
export function defaultAnswer(
  params: ChatParams,
  libraries: Libraries,
  { draws, thinks }: { draws: Draws; thinks: boolean },
): FilledReply {
  const names = toolsToCall(params)
  if (names.length > 0) {
    const name = draws.pick('tool', names)
    return { tool_calls: [{ name, arguments: drawArguments(name, { params, libraries, draws }) }] }
  }
  const { format } = params
  if (typeof format === 'object') {
    const items = namedCount(params.messages)
    const written = format.parts.map((part, index) => {
      if (typeof part === 'string') return part
      const { schema, at, isText } = part
      const value = libraries.structures!.make(schema, {
        seed: draws.word('structure', index),
        at,
        items,
      })
      return isText ? String(value) : JSON.stringify(value)
    })
    return { content: written.join('') }
  }
  const text = libraries.sentences!.invent(draws.units('sentences'))
  if (format === 'json') return { content: JSON.stringify({ answer: text }) }
  return { content: thinks ? `<think>\n${text}\n</think>\n\n${text}` : text }
}

interface Drawing {
  params: ChatParams
  libraries: Libraries
  draws: Draws
  /** The index of the call in the answer. */
  call?: number
}

/** Draws arguments that match the schema of a tool, as JSON. `{}` if the request does not offer the tool. */
export function drawArguments(name: string, { params, libraries, draws, call }: Drawing): string {
  const tool = params.tools.find((each) => each.name === name)
  if (!tool) return '{}'
  const { parameters, at } = tool
  const seed = draws.word('structure', call)
  const items = namedCount(params.messages)
  return JSON.stringify(libraries.structures!.make(parameters, { seed, at, items, isObject: true }))
}
