import type { Spoken } from './answer.js'
import { FORMAT_AT, type ChatParams } from './chat-params.js'
import type { Draws } from './draws.js'
import type { Libraries } from './libraries.js'

/**
 * The answer if no rule matches: a call of an offered tool, unless a tool has just answered (so that every
 * loop of calls ends), or JSON if the request asks for it, or random sentences.
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
  /** The index of the call in the answer. */
  call?: number
}

/** Draws arguments, as JSON, that match the tool's schema. A tool that is not offered gets `{}`. */
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
