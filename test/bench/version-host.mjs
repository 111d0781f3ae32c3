// Calls the emulator of a build in process, as often as the parent process asks, and says what that took. The
// arguments are the module of the build, and options as JSON.
import { on } from 'node:events'
import { pathToFileURL } from 'node:url'

const [file, options] = process.argv.slice(2)
const { createEmulator } = await import(pathToFileURL(file).href)
const emulator = createEmulator(JSON.parse(options))
const [training, inference] = [emulator.trainingUrl, emulator.inferenceUrl].map(
  (url) => new URL(url).origin,
)
const headers = { authorization: 'Bearer any-key', 'content-type': 'application/json' }

async function answerTo({ method, path, body }) {
  const origin = path.startsWith('/v1/chat/') ? inference : training
  const response = await emulator.fetch(origin + path, { method, headers, body })
  return { status: response.status, text: await response.text() }
}

process.send('ready')
// It ends at the first answer with another status, and says which it is.
for await (const [{ calls, status = 200 }] of on(process, 'message')) {
  const before = process.cpuUsage()
  const start = performance.now()
  let answer
  for (const call of calls) {
    answer = await answerTo(call)
    if (answer.status !== status) break
  }
  const took = performance.now() - start
  const { user, system } = process.cpuUsage(before)
  const cost = (user + system) / calls.length
  process.send({ answer, cost, rate: (calls.length / took) * 1000 })
}
