// aimock with two fixed answers. Its records are fine-tuning jobs, which it has built in.
import { LLMock } from '@copilotkit/aimock'
import { readFileSync } from 'node:fs'

const [port, file] = process.argv.slice(2)
const { chat, stream } = JSON.parse(readFileSync(file, 'utf8'))
const short = JSON.parse(chat.body).choices[0].message.content
const long = stream.body
  .filter((piece) => piece.startsWith('data: {'))
  .map((piece) => JSON.parse(piece.slice(6)).choices[0]?.delta.content ?? '')
  .join('')

// It streams so many characters a chunk: those of a word, as ours are.
const options = { host: '127.0.0.1', chunkSize: 5, logLevel: 'silent' }
const mock = new LLMock({ ...options, port: Number(port) })
mock.onMessage('long', { content: long })
mock.onMessage('short', { content: short })
await mock.start()
