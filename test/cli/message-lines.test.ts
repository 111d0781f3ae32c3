import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { messageLines } from '../../src/cli/tools/mcp/message-lines.js'

/** What is passed on, and what is refused, of lines of which at most 100 bytes are read. */
async function linesOf(...lines: readonly string[]) {
  const stdin = new PassThrough()
  const stdout = new PassThrough()
  const passed = text(messageLines(stdin, stdout, 100))
  stdin.end(lines.map((line) => `${line}\n`).join(''))
  const messages = (await passed).split('\n').filter((line) => line !== '')
  const refused = text(stdout.end())
  const answers = (await refused).split('\n').filter((line) => line !== '')
  return { messages, ids: answers.map((line) => (JSON.parse(line) as { id: unknown }).id) }
}

const PING = '{"jsonrpc":"2.0","id":9,"method":"ping"}'

it.each([
  ['7', 7],
  ['-7', -7],
  [String.raw`"a\"b"`, 'a"b'],
  ['007', null],
  ['-', null],
  [String.raw`"\q"`, null],
  [String.raw`"\u12"`, null],
  ['"a\u0001b"', null],
  ['1.5', null],
])('refuses a message that is too long, and reads on: "id":%s', async (written, id) => {
  const long = `{"jsonrpc":"2.0","id":${written},"method":"x","params":{"text":"${'y'.repeat(100)}"}}`
  expect(await linesOf(long, PING)).toEqual({ messages: [PING], ids: [id] })
})
