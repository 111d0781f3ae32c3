// The limit: a bare node:http server that reads each body, forgets it, and says yes.
import { createServer } from 'node:http'

createServer((request, response) => {
  request
    .on('data', () => {})
    .on('end', () => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': 2 })
      response.end('{}')
    })
}).listen(0, '127.0.0.1', function () {
  console.log(`http://127.0.0.1:${this.address().port}`)
})
