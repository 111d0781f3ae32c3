import type { Spoken } from './answer.js'
import { FORMAT_AT, type ChatParams } from './chat-params.js'
import type { Draws } from './draws.js'
import type { Libraries } from './libraries.js'

/**
 * What is said where no rule has anything to say: a call of a tool that is offered, unless one has
 * just answered (so that every loop of calls comes to an end); JSON where that is asked for; or words.
 */
export function defaultAnswer(params: ChatParams, libraries: Libraries, draws: Draws): Spoken {
  const name = toolToCall(params, draws)
  if (name !== undefined) {
    return { tool_calls: [{ name, arguments: drawArguments(name, { params, libraries, draws }) }] }
  }
  const { format } = params
  if (typeof format === 'object') {
    const value = libraries.structures!.make(format.schema, {
      seed: seedFrom(draws),
      at: FORMAT_AT,
    })
    return { content: JSON.stringify(value) }
  }
  const text = inventSentences(libraries, draws)
  return { content: format === 'json' ? JSON.stringify({ answer: text }) : text }
}

interface Drawing {
  params: ChatParams
  libraries: Libraries
  draws: Draws
  /** Which call of the answer they are for. */
  call?: number
}

/** Arguments, as JSON, that satisfy the tool's schema; of a tool that is not offered, none. */
export function drawArguments(name: string, { params, libraries, draws, call }: Drawing): string {
  const tool = params.tools.find((each) => each.name === name)
  if (!tool) return '{}'
  const { parameters, at } = tool
  const seed = seedFrom(draws, call)
  return JSON.stringify(libraries.structures!.make(parameters, { seed, at, isObject: true }))
}

function toolToCall({ toolChoice, tools, messages }: ChatParams, draws: Draws): string | undefined {
  if (toolChoice === 'none') return undefined
  if (typeof toolChoice === 'object') return toolChoice.name
  if (toolChoice === 'auto' && messages.at(-1)?.role === 'tool') return undefined
  return tools.length === 0 ? undefined : draws.pick('tool', tools).name
}

function inventSentences({ sentences }: Libraries, draws: Draws): string {
  let index = 0
  return sentences!.invent(() => draws.unit('sentences', index++))
}

function seedFrom(draws: Draws, call = 0): number {
  return draws.word('structure', call)
}
