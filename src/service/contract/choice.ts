import { optional } from './pydantic/fields.js'
import { integer } from './pydantic/integer.js'
import { list, nullable } from './pydantic/containers.js'
import { literal } from './pydantic/literal.js'
import { openModel } from './pydantic/model.js'
import { number, string } from './pydantic/scalars.js'
import { union } from './pydantic/union.js'

// A choice is an answer of a model that a client puts into a trajectory unchanged. So its parts allow any field.
// Missing fields stay missing: a completion may have thousands of log probabilities, and to add nulls would
// copy all of them.

const urlCitation = openModel(
  'AnnotationURLCitation',
  { end_index: integer, start_index: integer, title: string, url: string },
  { description: 'Which web page a passage was taken from.' },
)

const annotation = openModel(
  'Annotation',
  { type: literal('url_citation'), url_citation: urlCitation },
  { description: 'A remark on a passage of the answer.' },
)

const audio = openModel(
  'ChatCompletionAudio',
  { id: string, data: string, expires_at: integer, transcript: string },
  { description: 'The answer as sound.' },
)

const functionCall = openModel(
  'FunctionCall',
  { arguments: string, name: string },
  { description: 'A function to call and its arguments; tool calls have replaced it.' },
)

const calledFunction = openModel(
  'Function',
  { arguments: string, name: string },
  { description: 'The function that the model called.' },
)

const calledCustomTool = openModel(
  'Custom',
  { input: string, name: string },
  { description: 'The custom tool that the model called.' },
)

const functionToolCall = openModel(
  'ChatCompletionMessageFunctionToolCall',
  { id: string, function: calledFunction, type: literal('function') },
  { description: 'A call of a function.' },
)

const customToolCall = openModel(
  'ChatCompletionMessageCustomToolCall',
  { id: string, custom: calledCustomTool, type: literal('custom') },
  { description: 'A call of a custom tool.' },
)

const answeredMessage = openModel(
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
  { description: 'A message that a model generated.' },
)

const topLogprob = openModel('TopLogprob', {
  token: string,
  bytes: optional(nullable(list(integer))),
  logprob: number,
})

const tokenLogprob = openModel('ChatCompletionTokenLogprob', {
  token: string,
  bytes: optional(nullable(list(integer))),
  logprob: number,
  top_logprobs: list(topLogprob),
})

const choiceLogprobs = openModel(
  'ChoiceLogprobs',
  {
    content: optional(nullable(list(tokenLogprob))),
    refusal: optional(nullable(list(tokenLogprob))),
  },
  { description: 'How likely each token of the answer was.' },
)

export const choice = openModel('Choice', {
  finish_reason: literal('stop', 'length', 'tool_calls', 'content_filter', 'function_call'),
  index: integer,
  logprobs: optional(nullable(choiceLogprobs)),
  message: answeredMessage,
})
