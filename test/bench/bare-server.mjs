// The limit: a bare node:http server that sends, for every request, the bytes it was given.
import { createServer } from 'node:http'

const { status, headers, body } = JSON.parse(
  process.argv[2] ?? '{"status":200,"headers":{},"body":"{}"}',
)

createServer((request, response) => {
  const answer = () => {
    response.writeHead(status, headers)
    response.end(body)
  }
  if (request.method === 'GET') return answer()
  request.on('data', () => {}).on('end', answer)
}).listen(0, '127.0.0.1', function () {
  console.log(`http://127.0.0.1:${this.address().port}/v1`)
})
