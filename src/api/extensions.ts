import {
  completion,
  completionRequest,
  countTokensRequest,
  countTokensResponse,
  messagesError,
  messagesRequest,
  messagesResponse,
  responsesRequest,
  responsesResponse,
} from '../contract/extensions.js'
import { operation, type ErrorForm } from './operation.js'

/** What all extension wires have in common. Each one loads its code with its first call. */
const common = {
  host: 'inference',
  method: 'POST',
  tag: 'extensions',
  auth: 'bearer',
  refusals: [404],
} as const

const streams = ['application/json', 'text/event-stream'] as const

const createCompletion = operation({
  ...common,
  id: 'createCompletion',
  path: '/v1/completions',
  name: 'create_completion',
  summary: 'Create Completion',
  extension: 'completions',
  body: completionRequest,
  response: completion,
  contentTypes: streams,
  async run(call) {
    const { answerCompletion } = await import('./completions.js')
    return answerCompletion(call)
  },
})

const createResponse = operation({
  ...common,
  id: 'createResponse',
  path: '/v1/responses',
  name: 'create_response',
  summary: 'Create Response',
  extension: 'responses',
  body: responsesRequest,
  response: responsesResponse,
  contentTypes: streams,
  async run(call) {
    const { answerResponse } = await import('./responses.js')
    return answerResponse(call)
  },
})

const messages = {
  ...common,
  extension: 'messages',
  errorForm: {
    schema: messagesError,
    write: ({ type, message }) => ({ type: 'error', error: { type, message } }),
  } satisfies ErrorForm,
} as const

const createMessage = operation({
  ...messages,
  id: 'createMessage',
  path: '/v1/messages',
  name: 'create_message',
  summary: 'Create Message',
  body: messagesRequest,
  response: messagesResponse,
  contentTypes: streams,
  async run(call) {
    const { answerMessage } = await import('./messages.js')
    return answerMessage(call)
  },
})

const countMessageTokens = operation({
  ...messages,
  id: 'countMessageTokens',
  path: '/v1/messages/count_tokens',
  name: 'count_tokens',
  summary: 'Count Tokens',
  body: countTokensRequest,
  response: countTokensResponse,
  async run(call) {
    const { countTokens } = await import('./messages.js')
    return countTokens(call)
  },
})

/** The extension wires. The documented service does not have them, so they are off by default. */
export const extensionOperations = [
  createCompletion,
  createResponse,
  createMessage,
  countMessageTokens,
]
