import { chatCompletion, chatCompletionRequest, chatCompletionResponse } from '../contract/chat.js'
import type { Host } from '../contract/exchange.js'
import { answerChat } from './answer-chat.js'
import { operation, type Operation } from './operation.js'
import { CHAT_TAG } from './tags.js'

/** The real service has a row for both spellings of the path, without a redirect between them. */
function chatRow(id: string, host: Host, path: string): Operation {
  return operation({
    id,
    host,
    method: 'POST',
    path,
    name: 'create_chat_completion',
    tag: CHAT_TAG,
    summary: 'Create Chat Completion',
    auth: 'bearer',
    body: chatCompletionRequest,
    response: host === 'training' ? chatCompletionResponse : chatCompletion,
    contentTypes: ['application/json', 'text/event-stream'],
    refusals: [404],
    run: answerChat,
  })
}

export const chatOperations = [
  chatRow('createChatCompletionSlashed', 'training', '/v1/chat/completions/'),
  chatRow('createChatCompletion', 'training', '/v1/chat/completions'),
]

export const inferenceChatOperations = [
  chatRow('createInferenceChatCompletion', 'inference', '/v1/chat/completions'),
]
