import { fillAnswer } from '../../scenario/chat-template.js'
import type { ChatFacts } from '../../scenario/chat-facts.js'
import type { Reply } from '../../scenario/scenario.js'
import type { PatternMatch } from '../../../base/text/pattern.js'
import type { FilledReply, ReplyError } from './answer.js'
import type { ChatParams } from './chat-params.js'
import { defaultAnswer, drawArguments } from './default-answer.js'
import type { Draws } from './draws.js'
import { filledArguments } from './filled-arguments.js'
import type { Libraries } from './libraries.js'
import type { ModelTokens } from './model-tokens.js'

/** A reply that needs no filling. It is made when the answer is, because a schema may turn out to be unusable. */
interface MadeReply {
  make: () => FilledReply
}

/** Undefined asks for the default answer. */
type RuleReply = Reply | MadeReply | undefined

export type Replies = readonly RuleReply[]

/** A reply that becomes an answer. */
export type FillableReply = Exclude<RuleReply, ReplyError>

interface Filling {
  params: ChatParams
  facts: ChatFacts
  /** The matches of the rule. */
  found: PatternMatch
  draws: Draws
  libraries: Libraries
  formatArguments: ModelTokens['formatArguments']
  /** Whether default answers begin with thinking. */
  thinks: boolean
}

/** Fills in the placeholders of a reply, and draws what it leaves open. */
export function fillReply(
  reply: FillableReply,
  { params, facts, found, draws, libraries, formatArguments, thinks }: Filling,
): FilledReply {
  if (typeof reply === 'object' && 'make' in reply) return reply.make()
  if (reply === undefined) {
    const made = defaultAnswer(params, libraries, { draws, thinks })
    const { tool_calls: drawn } = made
    return {
      ...made,
      tool_calls: drawn?.map((call) => ({ ...call, arguments: formatArguments(call.arguments) })),
    }
  }
  const fill = (text: string): string => fillAnswer(text, facts, found)
  if (typeof reply === 'string') return { content: fill(reply) }
  const { content, refusal, tool_calls: calls, finish_reason } = reply
  return {
    content: content === undefined ? undefined : fill(content),
    refusal: refusal === undefined ? undefined : fill(refusal),
    tool_calls: calls?.map((each, call) => {
      const name = fill(each.name)
      const args = each.arguments
      if (typeof args === 'string') return { name, arguments: fill(args) }
      const drawing = { params, libraries, draws, call }
      const json = args ? filledArguments(args, fill) : drawArguments(name, drawing)
      return { name, arguments: formatArguments(json) }
    }),
    finish_reason,
  }
}

/** Whether a reply refuses the request. */
export function isError(reply: RuleReply): reply is ReplyError {
  return typeof reply === 'object' && 'error' in reply
}

/** Whether a text is neither a number nor a verdict of one word. */
export function hasNoScore(reply: RuleReply): boolean {
  const text = typeof reply === 'object' && 'content' in reply ? reply.content : reply
  return text === undefined || (typeof text === 'string' && !/\d|^\W*\w+\W*$/.test(text))
}

/** Whether a reply is a text that is not JSON, and nothing else. */
export function isOnlyText(reply: RuleReply): boolean {
  if (reply === undefined) return true
  if (typeof reply === 'string') return !/^\s*[[{]/.test(reply)
  if (!('content' in reply) || reply.content === undefined) return false
  return reply.tool_calls === undefined && isOnlyText(reply.content)
}
