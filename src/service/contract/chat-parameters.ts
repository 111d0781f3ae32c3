import { anything, boolean, number, string } from './pydantic/scalars.js'
import { dictionary, list, nullable } from './pydantic/containers.js'
import { optional } from './pydantic/fields.js'
import { boundedInteger, integer } from './pydantic/integer.js'
import { literal } from './pydantic/literal.js'
import { model } from './pydantic/model.js'
import type { Problem } from './pydantic/problem.js'
import { pythonRepr } from './jinja/python.js'
import type { Schema } from './pydantic/schema.js'
import { isRecord } from './pydantic/record.js'
import { union } from './pydantic/union.js'

const maybe = <T>(schema: Schema<T>) => optional(nullable(schema))

const tool = model(
  'ChatCompletionToolsParam',
  {
    type: optional(literal('function')),
    function: model(
      'FunctionDefinition',
      {
        name: string,
        description: maybe(string),
        parameters: maybe(dictionary(anything)),
        strict: maybe(boolean),
      },
      { extra: 'allow' },
    ),
  },
  { extra: 'allow' },
)

const responseFormat = model(
  'ResponseFormat',
  {
    type: literal('text', 'json_object', 'json_schema', 'structural_tag'),
    json_schema: maybe(
      model(
        'JsonSchemaResponseFormat',
        {
          name: string,
          description: maybe(string),
          schema: maybe(dictionary(anything)),
          strict: maybe(boolean),
        },
        { extra: 'allow' },
      ),
    ),
  },
  { extra: 'allow' },
)

const structuredOutputs = model(
  'StructuredOutputsParams',
  {
    json: maybe(union([string, dictionary(anything)])),
    regex: maybe(string),
    choice: maybe(list(string)),
    grammar: maybe(string),
    json_object: maybe(boolean),
    structural_tag: maybe(string),
  },
  { extra: 'allow' },
)

const streamOptions = model(
  'StreamOptions',
  { include_usage: maybe(boolean), continuous_usage_stats: maybe(boolean) },
  { extra: 'allow' },
)

/**
 * The types of the parameters that the chat server reads: see docs/explain/contract.md#errors-of-the-chat-layer. Messages
 * and `tool_choice` have checks of their own. Other fields are not checked.
 */
export const chatParameters = model(
  'ChatParameters',
  {
    frequency_penalty: maybe(number),
    logit_bias: maybe(dictionary(number)),
    logprobs: maybe(boolean),
    top_logprobs: maybe(integer),
    max_tokens: maybe(integer),
    max_completion_tokens: maybe(integer),
    n: maybe(integer),
    presence_penalty: maybe(number),
    response_format: maybe(responseFormat),
    seed: maybe(boundedInteger({ ge: -(2n ** 63n), le: 2n ** 63n - 1n })),
    stop: maybe(union([string, list(string)])),
    stream: maybe(boolean),
    stream_options: maybe(streamOptions),
    structured_outputs: maybe(structuredOutputs),
    temperature: maybe(number),
    top_p: maybe(number),
    tools: maybe(list(tool)),
    parallel_tool_calls: maybe(boolean),
    user: maybe(string),
    top_k: maybe(integer),
    min_p: maybe(number),
    repetition_penalty: maybe(number),
    min_tokens: optional(integer),
    return_tokens_as_token_ids: maybe(boolean),
    return_token_ids: maybe(boolean),
  },
  { extra: 'allow' },
)

const MOST_REPORTED = 10
const LONGEST_INPUT = 200
const LONGEST_PROBLEM = 1000
const CUT = '...[truncated]'

/** Formats problems of types as the chat server does: see docs/explain/contract.md#errors-of-the-chat-layer. */
export function validationMessage(problems: readonly Problem[]): string {
  const count = problems.length
  const label = count === 1 ? 'error' : 'errors'
  const lines = problems.slice(0, MOST_REPORTED).map((problem) => `  ${formatProblem(problem)}`)
  if (count > MOST_REPORTED) lines.push(`  ...and ${count - MOST_REPORTED} more ${label}`)
  return [`${count} validation ${label}:`, ...lines].join('\n')
}

/** Returns the path of a problem, without the names of variants: `body.stop.0`. */
export function pathOf({ loc }: Problem): string {
  return loc.filter((part) => !isVariant(String(part))).join('.')
}

function isVariant(part: string): boolean {
  return part === 'str' || /[[\](){}]/.test(part)
}

function formatProblem(problem: Problem): string {
  const { type, msg, input, ctx } = problem
  const parts = { type, loc: pathOf(problem), msg, input: summarize(input), ...(ctx && { ctx }) }
  const text = pythonRepr(parts)
  return cutAt(text, LONGEST_PROBLEM)
}

/** Python counts code points. */
function cutAt(text: string, most: number): string {
  if (text.length <= most) return text
  const characters = Array.from(text)
  return characters.length > most ? characters.slice(0, most).join('') + CUT : text
}

function summarize(input: unknown): string {
  if (Array.isArray(input)) return `<list of ${input.length} items>`
  if (isRecord(input)) {
    return `<dict of ${Object.keys(input).length} items>`
  }
  const text = typeof input === 'string' ? input : pythonRepr(input)
  return cutAt(text, LONGEST_INPUT)
}
