import { anything } from './pydantic/anything.js'
import { dictionary } from './pydantic/dictionary.js'
import { optional } from './pydantic/fields.js'
import { integer } from './pydantic/integer.js'
import { list } from './pydantic/list.js'
import { literal } from './pydantic/literal.js'
import { model } from './pydantic/model.js'
import { nullable } from './pydantic/nullable.js'
import { string } from './pydantic/string.js'

/** The request of both hosts. Messages are not checked, and any other field is allowed. */
export const chatCompletionRequest = model(
  'ChatCompletionRequest',
  { model: string, messages: list(dictionary(anything)) },
  { extra: 'allow' },
)

const chatMessage = model('ChatMessage', { content: optional(anything) }, { extra: 'allow' })

const chatChoice = model(
  'ChatChoice',
  { message: optional(nullable(chatMessage)) },
  { extra: 'allow' },
)

/** The response of the training host, as documented. In fact it sends a `ChatCompletion`. */
export const chatCompletionResponse = model(
  'ChatCompletionResponse',
  { choices: optional(list(chatChoice)) },
  { extra: 'allow' },
)

const completionMessage = model(
  'ChatCompletionAnswer',
  { role: string, content: nullable(string) },
  { extra: 'allow' },
)

const completionChoice = model(
  'ChatCompletionAnswerChoice',
  { index: integer, message: completionMessage, finish_reason: string },
  { extra: 'allow' },
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
  },
  { extra: 'allow' },
)
