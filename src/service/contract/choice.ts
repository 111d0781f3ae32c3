import { optional } from './pydantic/fields.js'
import { integer } from './pydantic/integer.js'
import { list, nullable } from './pydantic/containers.js'
import { literal } from './pydantic/literal.js'
import { model } from './pydantic/model.js'
import { number, string } from './pydantic/scalars.js'
import { union } from './pydantic/union.js'

// A choice is an answer of a model that a client puts into a trajectory unchanged. So its parts allow any field.
// Missing fields stay missing: a completion may have thousands of log probabilities, and to add nulls would
// copy all of them.

const urlCitation = model(
  'AnnotationURLCitation',
  { end_index: integer, start_index: integer, title: string, url: string },
  { extra: 'allow', description: 'Which web page a passage was taken from.' },
)

const annotation = model(
  'Annotation',
  { type: literal('url_citation'), url_citation: urlCitation },
  { extra: 'allow', description: 'A remark on a passage of the answer.' },
)

const audio = model(
  'ChatCompletionAudio',
  { id: string, data: string, expires_at: integer, transcript: string },
  { extra: 'allow', description: 'The answer as sound.' },
)

const functionCall = model(
  'FunctionCall',
  { arguments: string, name: string },
  {
    extra: 'allow',
    description: 'A function to call and its arguments; tool calls have replaced it.',
  },
)

const calledFunction = model(
  'Function',
  { arguments: string, name: string },
  { extra: 'allow', description: 'The function that the model called.' },
)

const calledCustomTool = model(
  'Custom',
  { input: string, name: string },
  { extra: 'allow', description: 'The custom tool that the model called.' },
)

const functionToolCall = model(
  'ChatCompletionMessageFunctionToolCall',
  { id: string, function: calledFunction, type: literal('function') },
  { extra: 'allow', description: 'A call of a function.' },
)

const customToolCall = model(
  'ChatCompletionMessageCustomToolCall',
  { id: string, custom: calledCustomTool, type: literal('custom') },
  { extra: 'allow', description: 'A call of a custom tool.' },
)

const answeredMessage = model(
  'ChatCompletionMessage',
  {
    content: optional(nullable(string)),
    refusal: optional(nullable(string)),
    role: literal('assistant'),
    annotations: optional(nullable(list(annotation))),
    audio: optional(nullable(audio)),
    function_call: optional(nullable(functionCall)),
    tool_calls: optional(nullable(list(union([functionToolCall, customToolCall])))),
  },
  { extra: 'allow', description: 'A message that a model generated.' },
)

const topLogprob = model(
  'TopLogprob',
  { token: string, bytes: optional(nullable(list(integer))), logprob: number },
  { extra: 'allow' },
)

const tokenLogprob = model(
  'ChatCompletionTokenLogprob',
  {
    token: string,
    bytes: optional(nullable(list(integer))),
    logprob: number,
    top_logprobs: list(topLogprob),
  },
  { extra: 'allow' },
)

const choiceLogprobs = model(
  'ChoiceLogprobs',
  {
    content: optional(nullable(list(tokenLogprob))),
    refusal: optional(nullable(list(tokenLogprob))),
  },
  { extra: 'allow', description: 'How likely each token of the answer was.' },
)

export const choice = model(
  'Choice',
  {
    finish_reason: literal('stop', 'length', 'tool_calls', 'content_filter', 'function_call'),
    index: integer,
    logprobs: optional(nullable(choiceLogprobs)),
    message: answeredMessage,
  },
  { extra: 'allow' },
)
