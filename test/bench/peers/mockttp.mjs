// mockttp with a rule for each call, as its README has them.
import { readFileSync } from 'node:fs'
import { getLocal } from 'mockttp'

const [port, file, get, post] = process.argv.slice(2)
const told = JSON.parse(readFileSync(file, 'utf8'))
// Else it keeps every request in memory.
const server = getLocal({ recordTraffic: false })
await server.start(Number(port))
const reply = (rule, { status, headers, body }) => {
  const texts = Object.entries(headers).map(([name, value]) => [name, String(value)])
  return rule.always().thenReply(status, body, Object.fromEntries(texts))
}
await reply(server.forGet(get), told.get)
await reply(server.forPost(post), told.chat)
