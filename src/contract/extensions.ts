import { anything } from './pydantic/anything.js'
import { dictionary } from './pydantic/dictionary.js'
import { optional } from './pydantic/fields.js'
import { integer } from './pydantic/integer.js'
import { list } from './pydantic/list.js'
import { literal } from './pydantic/literal.js'
import { model } from './pydantic/model.js'
import { nullable } from './pydantic/nullable.js'
import { number } from './pydantic/number.js'
import { string } from './pydantic/string.js'

/**
 * The bodies of the extension wires: see docs/contract.md#extension-wires. The code of each wire reads the
 * fields that are `anything` here.
 */

/** A request of `POST /v1/completions`. */
export const completionRequest = model(
  'CompletionRequest',
  { model: string, prompt: optional(anything) },
  { extra: 'allow' },
)

const completionChoice = model(
  'CompletionChoice',
  { index: integer, text: string, finish_reason: string, logprobs: nullable(dictionary(anything)) },
  { extra: 'allow' },
)

const completionUsage = model('CompletionUsage', {
  prompt_tokens: integer,
  completion_tokens: integer,
  total_tokens: integer,
})

/** A response of `POST /v1/completions`. */
export const completion = model(
  'Completion',
  {
    id: string,
    object: literal('text_completion'),
    created: integer,
    model: string,
    choices: list(completionChoice),
    usage: completionUsage,
  },
  { extra: 'allow' },
)

/** A request of `POST /v1/responses`. */
export const responsesRequest = model(
  'ResponsesRequest',
  { model: string, input: anything },
  { extra: 'allow' },
)

const responsesUsage = model('ResponsesUsage', {
  input_tokens: integer,
  input_tokens_details: dictionary(integer),
  output_tokens: integer,
  output_tokens_details: dictionary(integer),
  total_tokens: integer,
})

/** A response of `POST /v1/responses`. */
export const responsesResponse = model(
  'ResponsesResponse',
  {
    id: string,
    object: literal('response'),
    created_at: number,
    model: string,
    status: literal('completed', 'incomplete'),
    output: list(dictionary(anything)),
    usage: responsesUsage,
  },
  { extra: 'allow' },
)

const messagesPrompt = {
  model: string,
  messages: list(dictionary(anything)),
  system: optional(anything),
}

/** A request of `POST /v1/messages`. */
export const messagesRequest = model(
  'MessagesRequest',
  { ...messagesPrompt, max_tokens: integer },
  { extra: 'allow' },
)

const messagesUsage = model('MessagesUsage', { input_tokens: integer, output_tokens: integer })

/** A response of `POST /v1/messages`. */
export const messagesResponse = model(
  'MessagesResponse',
  {
    id: string,
    type: literal('message'),
    role: literal('assistant'),
    model: string,
    content: list(dictionary(anything)),
    stop_reason: string,
    stop_sequence: nullable(string),
    usage: messagesUsage,
  },
  { extra: 'allow' },
)

/** A request of `POST /v1/messages/count_tokens`. */
export const countTokensRequest = model('CountTokensRequest', messagesPrompt, { extra: 'allow' })

/** A response of `POST /v1/messages/count_tokens`. */
export const countTokensResponse = model(
  'CountTokensResponse',
  { input_tokens: integer },
  { extra: 'allow' },
)

/** An error of `POST /v1/messages` and `POST /v1/messages/count_tokens`. */
export const messagesError = model('MessagesError', {
  type: literal('error'),
  error: model('MessagesErrorDetail', { type: string, message: string }),
})
