/** Measures streams that are open at once: their time, and what they take of the server. */
import { Agent, fetch } from 'undici'
import * as world from './scale-world.js'
import { processorTimeOf, residentBytesOf, startEmulator } from './server-process.js'
import type { Settings } from './settings.js'
import { figureOf, type Row, type Table } from './table.js'
import { WrongAnswerError } from './calls.js'
import { jsonHeaders } from '../support/api-client.js'

export async function scaleOfStreams(settings: Settings): Promise<Table> {
  const rows: Row[] = []
  for (const count of world.sizesFor(settings, [1, 10, 100, 1000])) {
    const server = await startEmulator('--clock', 'auto')
    const agent = new Agent({ connections: count })
    const took: number[] = []
    const used: number[] = []
    for (let round = -1; round < settings.rounds; round++) {
      const before = processorTimeOf(server)
      const start = performance.now()
      await Promise.all(Array.from({ length: count }, () => readStream(server.url, agent)))
      // The first round opens the connections.
      if (round < 0) continue
      took.push(performance.now() - start)
      used.push((processorTimeOf(server) - before) / count)
    }
    const memory = residentBytesOf(server) / 1e6
    rows.push({
      name: world.countOf(count, 'stream'),
      figures: [figureOf(took, 'ms'), figureOf(used, 'ms'), figureOf([memory], 'MB')],
    })
    await agent.destroy()
    await server.stop()
  }
  return {
    title: 'Streams at once',
    columns: ['until all have ended', 'processor time of each', 'memory of the server'],
    rows,
    notes: ['Chats of 200 tokens on a port, begun in the same moment and read to their ends.'],
  }
}

async function readStream(url: string, dispatcher: Agent): Promise<void> {
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: jsonHeaders(),
    dispatcher,
    body: JSON.stringify({
      model: 'example/base-8b-instruct',
      stream: true,
      min_tokens: 200,
      max_tokens: 200,
      messages: [{ role: 'user', content: 'Tell a story.' }],
    }),
  })
  const text = await response.text()
  if (!text.trimEnd().endsWith('[DONE]')) throw new WrongAnswerError(text.slice(0, 500))
}
