// mockttp with a rule for the call, as its README has it.
import { readFileSync } from 'node:fs'
import { getLocal } from 'mockttp'

const [port, file, path] = process.argv.slice(2)
const { status, headers, body } = JSON.parse(readFileSync(file, 'utf8')).get
// Else it keeps every request in memory.
const server = getLocal({ recordTraffic: false })
await server.start(Number(port))
const texts = Object.entries(headers).map(([name, value]) => [name, String(value)])
await server.forGet(path).always().thenReply(status, body, Object.fromEntries(texts))
