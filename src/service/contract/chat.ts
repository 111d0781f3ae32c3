import { anything, number, string } from './pydantic/scalars.js'
import { dictionary, list, nullable } from './pydantic/containers.js'
import { documentedAs } from './pydantic/documented-as.js'
import { optional, undocumented } from './pydantic/fields.js'
import { integer } from './pydantic/integer.js'
import { literal } from './pydantic/literal.js'
import { model, openModel } from './pydantic/model.js'
import { nothing } from './pydantic/nothing.js'
import type { Infer } from './pydantic/schema.js'

/** The request of both hosts. Messages are not checked, and any other field is allowed. */
export const chatCompletionRequest = openModel('ChatCompletionRequest', {
  model: string,
  messages: list(dictionary(anything)),
})

const chatMessage = openModel('ChatMessage', { content: optional(anything) })

const chatChoice = openModel('ChatChoice', { message: optional(nullable(chatMessage)) })

const documentedOnTraining = openModel('ChatCompletionResponse', {
  choices: optional(list(chatChoice)),
})

const tokenFields = { token: string, logprob: number, bytes: list(integer) }

const tokenLogprobs = list(
  model('TokenLogprob', { ...tokenFields, top_logprobs: list(model('TopLogprob', tokenFields)) }),
)

/** The log probabilities of a choice, in one piece or in a chunk of a stream. */
const choiceLogprobs = model('ChoiceLogprobs', {
  content: tokenLogprobs,
  refusal: nullable(tokenLogprobs),
})

export type ChoiceLogprobs = Infer<typeof choiceLogprobs>

const toolCall = model('ToolCall', {
  id: string,
  type: literal('function'),
  function: model('CalledFunction', { name: string, arguments: string }),
})

// The service documents the fields that all clients read. The chat server sends the others as well.
const open = { documentedAsOpen: true }

const completionMessage = model(
  'ChatCompletionAnswer',
  {
    role: string,
    content: nullable(string),
    ...undocumented({ refusal: nullable(string), tool_calls: optional(list(toolCall)) }),
  },
  open,
)

export type CompletionMessage = Infer<typeof completionMessage>

const completionChoice = model(
  'ChatCompletionAnswerChoice',
  {
    index: integer,
    message: completionMessage,
    finish_reason: string,
    ...undocumented({
      stop_reason: nullable(string),
      logprobs: nullable(choiceLogprobs),
      token_ids: nullable(list(integer)),
    }),
  },
  open,
)

const usage = model('ChatCompletionUsage', {
  prompt_tokens: integer,
  completion_tokens: integer,
  total_tokens: integer,
})

/** The response of the inference host, as documented. */
export const chatCompletion = model(
  'ChatCompletion',
  {
    id: string,
    object: literal('chat.completion'),
    created: integer,
    model: string,
    choices: list(completionChoice),
    usage,
    ...undocumented({
      prompt_token_ids: nullable(list(integer)),
      prompt_logprobs: nothing,
      kv_transfer_params: nothing,
    }),
  },
  open,
)

export type ChatCompletion = Infer<typeof chatCompletion>

/** The response of the training host. It documents less than it sends. */
export const chatCompletionResponse = documentedAs(documentedOnTraining, chatCompletion)
