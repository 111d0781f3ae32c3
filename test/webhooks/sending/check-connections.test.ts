import { createHmac } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { checkReceiver, planOf } from '../../../src/webhooks/sending/check-receiver.js'
import { secret } from './sender.js'

it('the check opens a connection for each call, since a receiver may close one after an error', async () => {
  const careful = (signature: unknown, body: Buffer): number => {
    if (typeof signature !== 'string') return 401
    // Like a comparison that throws for characters outside of ASCII.
    if (/[^\0-\x7f]/.test(signature)) return 500
    return signature === createHmac('sha256', secret).update(body).digest('hex') ? 200 : 401
  }
  let calls = 0
  const server = createServer((request, response) => {
    calls++
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const status = careful(request.headers['x-service-signature'], Buffer.concat(chunks))
      response.writeHead(status).end(() => {
        if (status === 500) request.socket.destroy()
      })
    })
  })
  let connections = 0
  server.on('connection', () => connections++)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const results = await checkReceiver({ url, secret })
  const failed = results.filter(({ result }) => result === 'fail')
  expect(failed.map(({ id }) => id)).toEqual(['malformed-signature'])
  expect(connections).toBe(calls)
  expect(calls).toBe(planOf({ url, secret }).deliveries)
})
