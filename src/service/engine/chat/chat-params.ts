import { chatParameters } from '../../contract/chat-parameters.js'
import { pathOf, validationMessage } from '../../contract/validation-message.js'
import { validate } from '../../contract/pydantic/validate.js'
import type { ChatMessage } from '../../scenario/chat-facts.js'
import { readFormat, type AnswerFormat, type JsonSchema } from './answer-format.js'
import { BadField } from './bad-field.js'
import { limitOf, stopsOf, type ChatBody, type TypedBody } from './chat-body.js'
import { contradictions, messageProblems, samplingProblems } from './chat-problems.js'
import { functionOf } from './tool-function.js'

/** The supported parameters of a chat request, with defaults filled in. */
export interface ChatParams {
  model: string
  messages: readonly ChatMessage[]
  /** The number of choices. */
  choices: number
  /** The most tokens of an answer. Infinity without a limit. */
  maxTokens: number
  /** The parameter that sets `maxTokens`. */
  maxTokensParam: 'max_tokens' | 'max_completion_tokens'
  stop: readonly string[]
  seed: number | undefined
  temperature: number
  logprobs: boolean
  topLogprobs: number
  /** Whether the response includes the ids of all tokens. */
  returnsTokenIds: boolean
  /** Whether log probabilities name tokens by their ids. */
  namesTokensById: boolean
  /** Which chunks of a stream have the usage: none, one of its own at the end, or each of them and that one. */
  streamedUsage: 'none' | 'end' | 'always'
  tools: readonly Tool[]
  /** `{ name }` means that the answer must call that tool. */
  toolChoice: 'none' | 'auto' | 'required' | { name: string }
  format: AnswerFormat
  /** Reads the body without loss. Undefined: the body is exact. */
  exact?: (() => unknown) | undefined
  /** The parsed body. Values of other types are converted: `"2"` to 2 where a number is expected. */
  body: Readonly<Record<string, unknown>>
}

export interface Tool {
  name: string
  parameters: JsonSchema
  /** The path of the parameters in the request. */
  at: string
}

/**
 * Reads the parameters of a request that has `model` and `messages`. Null counts as missing.
 *
 * @param exact - Reads the body without loss: see docs/explain/contract.md#exact-values. Default: the body is exact.
 */
export function readChatRequest(body: ChatBody, exact?: () => unknown): ChatParams | BadField {
  const contradiction = first(contradictions(body))
  if (contradiction) return contradiction
  const checked = validate(chatParameters, body, ['body'], { exact })
  if (!checked.ok) {
    const { problems } = checked
    return new BadField(pathOf(problems[0]!), validationMessage(problems), 'Bad Request')
  }
  const typed: TypedBody = checked.value
  const problem = first(messageProblems(body)) ?? first(samplingProblems(typed))
  const read = problem ?? paramsOf(body, typed)
  return read instanceof BadField ? read : { ...read, exact }
}

function first(problems: Iterable<BadField>): BadField | undefined {
  for (const problem of problems) return problem
  return undefined
}

function paramsOf({ model, messages }: ChatBody, typed: TypedBody): ChatParams | BadField {
  const format = readFormat(typed)
  if (format instanceof BadField) return format
  const tools = toolsOf(typed)
  return {
    model,
    messages,
    choices: typed.n ?? 1,
    maxTokens: limitOf(typed) ?? Infinity,
    maxTokensParam:
      typeof typed.max_completion_tokens === 'number' ? 'max_completion_tokens' : 'max_tokens',
    stop: stopsOf(typed),
    seed: typed.seed ?? undefined,
    temperature: typed.temperature ?? 1,
    logprobs: typed.logprobs === true,
    topLogprobs: typed.top_logprobs ?? 0,
    returnsTokenIds: typed.return_token_ids === true,
    namesTokensById: typed.return_tokens_as_token_ids === true,
    streamedUsage: streamedUsageOf(typed.stream_options),
    tools,
    toolChoice: toolChoiceOf(typed['tool_choice'], tools),
    format,
    body: typed,
  }
}

/** As in `should_include_usage` of vLLM (`entrypoints/utils.py`), whose server option to force it is off by default. */
function streamedUsageOf(options: TypedBody['stream_options']): ChatParams['streamedUsage'] {
  if (options?.include_usage !== true) return 'none'
  return options.continuous_usage_stats === true ? 'always' : 'end'
}

function toolsOf({ tools }: TypedBody): Tool[] {
  return (tools ?? []).map(({ function: { name, parameters } }, index) => {
    return { name, parameters: parameters ?? {}, at: `tools[${index}].function.parameters` }
  })
}

/** The tools that an answer calls one of, unless a rule says what it is. Empty: it calls none. */
export function toolsToCall({
  toolChoice,
  tools,
  messages,
}: Pick<ChatParams, 'toolChoice' | 'tools' | 'messages'>): readonly string[] {
  if (toolChoice === 'none') return []
  if (typeof toolChoice === 'object') return [toolChoice.name]
  // Otherwise loops of calls would never end.
  if (toolChoice === 'auto' && messages.at(-1)?.role === 'tool') return []
  return tools.map(({ name }) => name)
}

/** Returns the choice. It was checked with the tools. */
function toolChoiceOf(choice: unknown, tools: readonly Tool[]): ChatParams['toolChoice'] {
  const chosen = choice ?? (tools.length > 0 ? 'auto' : 'none')
  if (chosen === 'none' || chosen === 'auto' || chosen === 'required') return chosen
  return { name: functionOf(chosen)['name'] as string }
}
