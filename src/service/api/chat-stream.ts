import { BrokenOff } from '../contract/exchange.js'
import type { ChatParams } from '../engine/chat/chat-params.js'
import type { Completion } from '../engine/chat/completion.js'
import type { Pacing } from '../engine/chat/pacing.js'
import type { DelayedResponses } from '../engine/delayed-responses.js'
import { completionMoments } from './completion-stream.js'

interface Sending {
  readonly delayed: DelayedResponses
  /** Called when the stream ends, or when nobody reads it any more. */
  readonly leave: () => void
}

/** The chunks of a streamed chat, at the pace of its tokens if it has one. */
export function chatStream(
  completion: Completion,
  params: ChatParams,
  sending: Sending,
): Iterable<string> | AsyncIterable<string> {
  const moments = completionMoments(completion, params)
  const { pacing } = completion
  return pacing ? sentInTime(moments, pacing, sending) : sentAtOnce(moments, sending)
}

function* sentAtOnce(moments: Iterable<string[]>, { leave }: Sending): Generator<string> {
  try {
    // Not `yield*`, which takes longer for each of thousands of chunks.
    for (const chunks of moments) for (const chunk of chunks) yield chunk
  } finally {
    leave()
  }
}

async function* sentInTime(
  moments: Iterable<string[]>,
  pacing: Pacing,
  { delayed, leave }: Sending,
): AsyncGenerator<string> {
  try {
    let place = 0
    for (const chunks of moments) {
      if (!(await delayed.wait(pacing.before(place++)))) {
        throw new BrokenOff('The world ended meanwhile')
      }
      yield* chunks
    }
  } finally {
    leave()
  }
}
