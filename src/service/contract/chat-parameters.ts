import { anything, boolean, number, string } from './pydantic/scalars.js'
import { dictionary, list, nullable } from './pydantic/containers.js'
import { optional } from './pydantic/fields.js'
import { boundedInteger, integer } from './pydantic/integer.js'
import { literal } from './pydantic/literal.js'
import { openModel } from './pydantic/model.js'
import type { Schema } from './pydantic/schema.js'
import { union } from './pydantic/union.js'

const maybe = <T>(schema: Schema<T>) => optional(nullable(schema))

const tool = openModel('ChatCompletionToolsParam', {
  type: optional(literal('function')),
  function: openModel('FunctionDefinition', {
    name: string,
    description: maybe(string),
    parameters: maybe(dictionary(anything)),
    strict: maybe(boolean),
  }),
})

const responseFormat = openModel('ResponseFormat', {
  type: literal('text', 'json_object', 'json_schema', 'structural_tag'),
  json_schema: maybe(
    openModel('JsonSchemaResponseFormat', {
      name: string,
      description: maybe(string),
      schema: maybe(dictionary(anything)),
      strict: maybe(boolean),
    }),
  ),
})

const structuredOutputs = openModel('StructuredOutputsParams', {
  json: maybe(union([string, dictionary(anything)])),
  regex: maybe(string),
  choice: maybe(list(string)),
  grammar: maybe(string),
  json_object: maybe(boolean),
  structural_tag: maybe(string),
})

const streamOptions = openModel('StreamOptions', {
  include_usage: maybe(boolean),
  continuous_usage_stats: maybe(boolean),
})

/**
 * The types of the parameters that the chat server reads: see docs/explain/contract.md#errors-of-the-chat-layer. Messages
 * and `tool_choice` have checks of their own. Other fields are not checked.
 */
export const chatParameters = openModel('ChatParameters', {
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
})
