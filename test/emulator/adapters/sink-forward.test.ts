import { gzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { createWebhookSink } from '../../../src/index.js'
import { startReceiver } from '../../support/receiver.js'
import { request, talk } from './talk.js'

it('a sink forwards a delivery with its headers, but without headers of the connection', async () => {
  const receiver = await startReceiver()
  await using sink = createWebhookSink({ forwardTo: receiver.url })
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

it('a sink returns the answer of the other receiver in its own bytes, with its headers', async () => {
  const latin = Buffer.from([0xff, 0xe9, 0x41])
  const receiver = await startReceiver((response) => {
    response.writeHead(429, {
      'content-type': 'text/plain; charset=iso-8859-1',
      'content-encoding': 'gzip',
      'retry-after': '7',
    })
    response.end(gzipSync(latin))
  })
  await using sink = createWebhookSink({ forwardTo: receiver.url })
  const { port } = await sink.listen()
  const answer = await fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', body: 'hi' })
  expect(answer.status).toBe(429)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/plain; charset=iso-8859-1',
    'retry-after': '7',
    'content-length': '3',
  })
  expect(answer.headers.has('content-encoding')).toBe(false)
  expect(Buffer.from(await answer.arrayBuffer())).toEqual(latin)
})

it('a sink sends the login of the URL, unless the delivery has its own', async () => {
  const receiver = await startReceiver()
  const { host } = new URL(receiver.url)
  await using sink = createWebhookSink({ forwardTo: `http://ann:p%40ss@${host}/hook` })
  for (const headers of [{}, { authorization: 'Bearer t' }]) {
    const { status } = await sink.fetch(sink.url, { method: 'POST', body: 'hi', headers })
    expect(status).toBe(200)
  }
  expect(receiver.received.map(({ headers }) => headers.authorization)).toEqual([
    `Basic ${Buffer.from('ann:p@ss').toString('base64')}`,
    'Bearer t',
  ])
})
