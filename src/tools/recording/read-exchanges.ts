import { isChatOperation } from '../../service/contract/operation-names.js'
import { readJson } from '../../service/contract/answer-text.js'
import { lastOfEach } from '../../service/api/route.js'
import { operationAt, type Exchange, type RecordedExchange } from './exchanges.js'
import { isEventStream } from './redact-body.js'
import { isUnread } from './replaced-text.js'
import { streamedAnswer, type StreamedAnswer } from './streamed-answer.js'

/** Returns the exchanges of a recording, which has them in the order of the requests. */
export function exchangesOf(recorded: readonly RecordedExchange[]): Exchange[] {
  const start = recorded[0]?.request.at ?? 0
  return recorded.map((each) => exchangeOf(each, start))
}

function exchangeOf(
  { request, response, text, end, waited, changes = [] }: RecordedExchange,
  start: number,
): Exchange {
  const { id, host, method, path, query, body } = request
  const called = operationAt(request)
  // A recorder measures parts of a millisecond, which no scenario needs.
  const sentAt = Math.round(request.at - start)
  const answeredAt = response && Math.round(response.at - start)
  const { status, headers = {} } = response ?? {}
  const answer = answerIn(text, isChatOperation(called?.operation) ? response : undefined)
  const lostAt = end?.how === 'lost' ? Math.round(end.at - start) : sentAt
  return {
    id,
    host,
    method,
    path,
    operation: called?.operation,
    params: called?.params ?? {},
    query: lastOfEach(query),
    sent: body === undefined ? undefined : readJson(body)?.value,
    sentAt,
    answeredAt,
    waited: waited ?? (answeredAt ?? lostAt) - sentAt,
    status,
    headers,
    text: answer.failure ?? text,
    received: answer.received,
    changes,
    how: howOf(answer, { text, end }),
  }
}

/** @param chat - The response to a chat, which may be a stream. */
function answerIn(text: string, chat: RecordedExchange['response']): Partial<StreamedAnswer> {
  const isStream = chat && chat.status < 400 && isEventStream(chat.headers)
  return isStream ? streamedAnswer(text) : { received: readJson(text)?.value }
}

function howOf(
  { failure, received, isWhole = true }: Partial<StreamedAnswer>,
  { text, end }: Pick<RecordedExchange, 'text' | 'end'>,
): Exchange['how'] {
  if (failure !== undefined) return 'failed'
  const { how = 'unfinished' } = end ?? {}
  const isCutOff = how === 'complete' && !isWhole && received !== undefined && !isUnread(text)
  return isCutOff ? 'cut_off' : how
}
