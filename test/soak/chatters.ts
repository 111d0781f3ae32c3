import { request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { rest, type Part, type Player } from './player.js'
import { jsonHeaders } from '../support/api-client.js'

const model = 'example/base-8b-instruct'

function chatFor({ draws }: Player, stream: boolean): object {
  const messages = [
    { role: 'user', content: `Tell me of ${draws.oneOf(['rain', 'sums', 'tea'])}.` },
  ]
  const max_tokens = draws.isHit(0.2) ? 2000 : 1 + draws.below(60)
  return { model, messages, stream, max_tokens, ...(draws.isHit(0.2) && { n: 3 }) }
}

/** Sends chats, streamed or not, to both hosts. */
export const chat: Part = async (player) => {
  const { draws, ledger, ended } = player
  const line = player.line()
  for (let turns = 1 + draws.below(5); turns > 0 && !ended.aborted; turns--) {
    const host = draws.oneOf(['training', 'inference'] as const)
    const stream = draws.isHit(0.4)
    const body = chatFor(player, stream)
    const answer = await line.ask('POST', '/chat/completions', { body, host, asText: stream })
    const whole = !stream || (answer?.body as string | undefined)?.endsWith('data: [DONE]\n\n')
    if (answer?.calm && answer.status === 200 && !whole) {
      ledger.find('answers', 'a stream of a chat ends without [DONE]', player.who)
    }
    await rest(player)
  }
}

/** Starts a stream, and disconnects in the middle of it or without reading it. */
export const leaveStream: Part = async (player) => {
  const { draws, ledger, ended, shared } = player
  const reads = draws.isHit(0.5)
  const ofControl = draws.isHit(0.4)
  const { inferenceUrl, trainingUrl, key } = shared.address
  const url = ofControl
    ? new URL('/_emulator/stream', trainingUrl)
    : new URL(`${inferenceUrl}/chat/completions`)
  const headers = jsonHeaders(key)
  const sent = request(url, { method: ofControl ? 'GET' : 'POST', headers, agent: false })
  sent
    .on('error', () => {})
    .on('response', (answer) => {
      answer.on('error', () => {})
      if (reads) answer.resume()
    })
  sent.end(ofControl ? undefined : JSON.stringify(chatFor(player, true)))
  await pause(draws.below(reads ? 100 : 1500), undefined, { signal: ended }).catch(() => {})
  sent.destroy()
  ledger.count('streams left')
}
