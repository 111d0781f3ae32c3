import type { ApiError } from '../contract/errors.js'
import type { Chat, Completed } from '../engine/chat/chat.js'
import type { BadField, ChatParams } from '../engine/chat/chat-params.js'
import type { Completion } from '../engine/chat/completion.js'
import type { ChatRequest } from '../engine/chat/request.js'
import type { ChatMessage } from '../scenario/chat-facts.js'
import type { Call } from './operation.js'

/** The body of a chat completion. The extension wires turn their requests into one. */
export type ChatBody = Readonly<Record<string, unknown>> & {
  readonly model: string
  readonly messages: readonly ChatMessage[]
}

/** What a chat needs of a call. */
export type ChatCall = Pick<
  Call<unknown, unknown, ChatBody>,
  'engine' | 'account' | 'body' | 'entry' | 'request'
> & {
  /** Reads the body without loss, if the client sent it in this form. */
  readonly exact?: (() => unknown) | undefined
}

/** A form of answers to chats. All of them have the same engine. */
export interface Wire {
  /** The answer in one piece. */
  readonly write: (completion: Completion, params: ChatParams) => object
  /** The answer as server-sent events. Each list has the events of one moment. */
  readonly stream: (completion: Completion, params: ChatParams) => Iterable<string[]>
  /** The refusal of a field, whose name may be another one on this wire. */
  readonly refuse: (problem: BadField) => ApiError
  /** Answers the request, if one chat is not enough. */
  readonly complete?: (chat: Chat, request: ChatRequest) => Promise<Completed>
}
