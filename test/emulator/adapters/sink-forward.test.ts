import { expect, it, onTestFinished } from 'vitest'
import { createWebhookSink } from '../../../src/index.js'
import { startReceiver } from '../../support/receiver.js'
import { request, talk } from './talk.js'

it('a sink forwards a delivery with its headers, but without headers of the connection', async () => {
  const receiver = await startReceiver()
  const sink = createWebhookSink({ forwardTo: receiver.url })
  onTestFinished(() => sink.close())
  const { port } = await sink.listen()
  const ofTheDelivery = { 'content-type': 'text/plain', 'user-agent': 'sender/1', 'x-event': 'a' }
  const ofTheConnection = {
    host: 'sink.localhost',
    connection: 'close',
    'keep-alive': 'timeout=9',
    te: 'trailers',
    trailer: 'x-sum',
    'proxy-authorization': 'Basic eDp5',
    'transfer-encoding': 'chunked',
  }
  const [answer] = await talk(
    port,
    request('POST /hook', { ...ofTheDelivery, ...ofTheConnection }),
    '2\r\nhi\r\n0\r\n\r\n',
  )
  expect(answer).toMatchObject({ status: 200, body: 'ok' })
  const [{ headers, body }] = receiver.received as [(typeof receiver.received)[number]]
  expect(headers).toMatchObject({
    ...ofTheDelivery,
    host: new URL(receiver.url).host,
    'content-length': '2',
  })
  for (const name of ['keep-alive', 'te', 'trailer', 'proxy-authorization', 'transfer-encoding']) {
    expect(headers).not.toHaveProperty(name)
  }
  expect(body.toString()).toBe('hi')
})
