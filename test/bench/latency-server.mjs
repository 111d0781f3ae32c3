/** Answers with the median time, in milliseconds, of 300 GETs of a URL, one after the other. */
import { Agent, createServer, get } from 'node:http'

const CALLS = 300
const agent = new Agent({ keepAlive: true })

function time(url) {
  const start = performance.now()
  return new Promise((resolve, reject) => {
    const headers = { authorization: 'Bearer key' }
    get(url, { agent, headers }, (response) => {
      response.resume().on('end', () => resolve(performance.now() - start))
    }).on('error', reject)
  })
}

async function answer(request, response) {
  const url = new URL(request.url, 'http://localhost').searchParams.get('url')
  if (!url) return response.end()
  const times = []
  for (let call = 0; call < CALLS; call++) times.push(await time(url))
  response.end(String(times.sort((a, b) => a - b)[CALLS >> 1]))
}

const server = createServer((request, response) => void answer(request, response))
server.listen(0, '127.0.0.1', () => {
  console.log(`http://127.0.0.1:${server.address().port}/v1`)
})
