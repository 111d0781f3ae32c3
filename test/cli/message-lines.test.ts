import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect, it } from 'vitest'
import { messageLines } from '../../src/cli/tools/mcp/message-lines.js'

const PING = '{"jsonrpc":"2.0","id":9,"method":"ping"}'

interface Refusal {
  id: unknown
  error: { message: string }
}

/** Writes a line that is refused and a message after it, which is passed on. Returns the refusal. */
async function refusalOf(line: string, most?: number): Promise<Refusal> {
  const stdin = new PassThrough()
  const stdout = new PassThrough()
  const passed = text(messageLines(stdin, stdout, most))
  stdin.end(`${line}\n${PING}\n`)
  expect(await passed).toBe(`${PING}\n`)
  return JSON.parse(await text(stdout.end())) as Refusal
}

it.each<[what: string, line: string, id: unknown, message: RegExp]>([
  ['no JSON', 'garbage', null, /^The line is not JSON: /],
  ['half a message', '{"jsonrpc":"2.0","id":7,', null, /^The line is not JSON: /],
  ['nothing but brackets', '['.repeat(100_000), null, /^The line is not JSON: /],
  ['a list', '[{"jsonrpc":"2.0","id":77,"method":"tools/list"}]', null, /it is a list/],
  ['null', 'null', null, /it is not an object/],
  ['another protocol', '{"id":5,"method":"tools/list"}', 5, /"jsonrpc" must be "2.0"/],
  ['no method', '{"jsonrpc":"2.0","id":"a"}', 'a', /"method" must be a text/],
  ['an odd id', '{"jsonrpc":"2.0","id":{},"method":"tools/list"}', null, /"id" must be/],
  ['odd params', '{"jsonrpc":"2.0","id":8,"method":"a","params":[]}', 8, /"params" must be/],
  ['20 MB', 'x'.repeat(2e7), null, /^The message has 20,000,000 bytes, and at most 10,485,760/],
])('refuses %s with an error, and reads on', async (_what, line, id, message) => {
  const refusal = await refusalOf(line)
  expect(refusal).toMatchObject({ id, error: { message: expect.stringMatching(message) } })
})

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
  const params = `"params":{"id":1,"text":"${'y'.repeat(10_000)}"}`
  const before = `{"jsonrpc":"2.0","id":${written},"method":"x",${params}}`
  const after = `{"method":"x",${params},"jsonrpc":"2.0","id":${written}}`
  for (const long of [before, after]) expect((await refusalOf(long, 100)).id).toEqual(id)
})

it('takes no id from the parameters of a message that is too long', async () => {
  const long = `{"jsonrpc":"2.0","method":"x","params":{"text":"${'y'.repeat(10_000)}","id":1}}`
  expect((await refusalOf(long, 100)).id).toBe(null)
})
