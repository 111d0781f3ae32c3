import type { ChatCompletion } from '../contract/chat.js'
import { chatRefusal, waitHeaders } from '../contract/status-refusals.js'
import { visibleTokens, type ReplyError } from '../engine/chat/answer.js'
import { BadField } from '../engine/chat/bad-field.js'
import type { ChatRequest } from '../engine/chat/request.js'
import { counted } from '../../base/text/counted.js'
import { milliseconds } from '../../base/text/duration.js'
import type { Engine } from '../engine/engine.js'
import { chatStream } from './chat-stream.js'
import { completionBody } from './completion.js'
import { projectHeaderOf } from './fault-request.js'
import { NoAnswer, EventStream, type ResultOf } from './result.js'
import { invalidChat, readChat, type ChatCall, type RefusedChat } from './read-chat.js'
import { recordChat } from './record-chat.js'

type ChatResult = ResultOf<ChatCompletion>

/** Answers a chat, or says why not. */
export function answerChat(call: ChatCall): ChatResult | Promise<ChatResult> {
  const read = readChat(call)
  return read instanceof Promise
    ? read.then((request) => answerRequest(call, request))
    : answerRequest(call, read)
}

/** Answers, unless the project already has as many concurrent chats as the scenario allows. */
function answerRequest(
  call: ChatCall,
  request: ChatRequest | RefusedChat,
): ChatResult | Promise<ChatResult> {
  const { engine, entry } = call
  if ('error' in request) {
    const { error, hint, servedFrom } = request
    if (servedFrom !== undefined) engine.skipTo(servedFrom)
    if (hint !== undefined) entry.hint = hint
    return error
  }
  const { concurrency } = engine.scenario.chat
  if (concurrency === undefined) return completeChat(call, request, () => {})
  const leave = engine.chat.usage.enter(projectHeaderOf(request.headers) ?? '', concurrency)
  if (leave) return completeChat(call, request, leave)
  entry.effects.push(`refused: ${counted(concurrency, 'chat')} at once`)
  return chatRefusal(429)
}

/** Calls `leave` when the answer is sent, or when there will be none. A stream calls it itself. */
async function completeChat(
  call: ChatCall,
  request: ChatRequest,
  leave: () => void,
): Promise<ChatResult> {
  let isStream = false
  try {
    const result = await resultOf(call, request, leave)
    isStream = result instanceof EventStream
    return result
  } finally {
    if (!isStream) leave()
  }
}

async function resultOf(
  { engine, entry }: ChatCall,
  request: ChatRequest,
  leave: () => void,
): Promise<ChatResult> {
  const onRule = (index: number): void => void (entry.chatRule = index)
  const completed = await engine.chat.complete({ ...request, onRule })
  if (completed instanceof BadField) return invalidChat(completed)
  if ('error' in completed) return refusedByScenario(engine, completed)
  recordChat({ engine, entry, request }, completed)
  const { delayed } = engine
  const { params } = request
  if (params.body.stream === true) {
    return new EventStream(chatStream(completed, params, { delayed, leave }))
  }
  const { pacing, answers } = completed
  const longest = Math.max(...answers.map(({ answer }) => visibleTokens(answer).length))
  if (pacing && !(await delayed.wait(pacing.total(longest)))) return new NoAnswer()
  return completionBody(completed, params)
}

/** A refusal from the scenario. If it asks the client to wait and the clock is virtual, skips the wait. */
function refusedByScenario(
  engine: Engine,
  { error, message, retry_after }: ReplyError,
): ChatResult {
  if (retry_after === undefined) return chatRefusal(error, { message })
  const wait = milliseconds(retry_after)
  engine.skipTo(engine.clock.now() + wait)
  return chatRefusal(error, { message, headers: waitHeaders(wait) })
}
