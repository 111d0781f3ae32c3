// The limit: a bare node:http server that reads what it is sent, forgets it, and sends the bytes that
// stand in a file for the path. What is a list is sent piece by piece, as a stream.
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'

const [port = '0', file] = process.argv.slice(2)
const answers = new Map(Object.entries(file ? JSON.parse(readFileSync(file, 'utf8')) : {}))
const ok = { status: 200, headers: { 'content-length': 2 }, body: '{}' }

createServer((request, response) => {
  const answer = () => {
    const { status, headers, body } = answers.get(request.url.slice(1)) ?? ok
    response.writeHead(status, headers)
    if (typeof body === 'string') return response.end(body)
    for (const piece of body) response.write(piece)
    response.end()
  }
  if (request.method === 'GET') return answer()
  request.on('data', () => {}).on('end', answer)
}).listen(Number(port), '127.0.0.1', function () {
  console.log(`http://127.0.0.1:${this.address().port}\n`)
})
