import { expect, it } from 'vitest'
import { createWebhookSink, type WebhookSink } from '../../../src/index.js'
import {
  toBeValidlySigned,
  toHaveReceivedInOrder,
  toHaveReceivedWebhook,
} from '../../../src/runners/matchers/webhooks.js'
import { secret, signed } from '../../webhooks/sending/sender.js'

async function received(...events: string[]): Promise<WebhookSink> {
  const sink = createWebhookSink({ secrets: secret })
  for (const event_type of events) await sink.fetch(`${sink.url}/hook`, signed({ event_type }))
  return sink
}

function told({ pass, message }: { pass: boolean; message: () => string }): [boolean, string] {
  return [pass, message()]
}

it('toHaveReceivedWebhook counts deliveries', async () => {
  const sink = await received('A', 'B', 'A')
  expect(toHaveReceivedWebhook(sink).pass).toBe(true)
  expect(toHaveReceivedWebhook(sink, { event: 'A' }, { count: 2 }).pass).toBe(true)
  expect(told(toHaveReceivedWebhook(sink.deliveries, { event: 'C' }))).toEqual([
    false,
    [
      'expected a delivery like { event: "C" }; 0 of 3 received match',
      'The nearest is 3: POST /hook, A, valid, same bytes as 1',
      '  event: expected "C", received "A"',
    ].join('\n'),
  ])
  expect(told(toHaveReceivedWebhook(sink, { event: 'B' }, { count: 2 }))).toEqual([
    false,
    'expected 2 deliveries like { event: "B" }; 1 of 3 received match\n  2: POST /hook, B, valid',
  ])
  expect(toHaveReceivedWebhook(sink, { event: 'A' }, { count: 1 }).message()).toMatch(
    /^expected 1 delivery like/,
  )
  expect(told(toHaveReceivedWebhook(sink, { event: 'B' }))).toEqual([
    true,
    'expected no delivery like { event: "B" }; 1 of 3 received match\n  2: POST /hook, B, valid',
  ])
})

it('toHaveReceivedInOrder checks the order, with or without other deliveries between', async () => {
  const sink = await received('A', 'B', 'C')
  expect(toHaveReceivedInOrder(sink, [{ event: 'A' }, { event: 'C' }]).pass).toBe(true)
  expect(told(toHaveReceivedInOrder(sink, [{ event: 'B' }, { event: 'A' }]))).toEqual([
    false,
    [
      'expected 2 deliveries in order; number 2, like { event: "A" }, did not come after delivery 2',
      'One like it came too early:',
      '  1: POST /hook, A, valid',
      'Received:',
      '  1: POST /hook, A, valid',
      '  2: POST /hook, B, valid',
      '  3: POST /hook, C, valid',
    ].join('\n'),
  ])
})

it('toBeValidlySigned checks signatures, and explains a wrong one', async () => {
  const sink = await received('A')
  expect(toBeValidlySigned(sink).pass).toBe(true)
  expect(toBeValidlySigned(sink.deliveries[0]!).pass).toBe(true)
  expect(toBeValidlySigned([])).toMatchObject({ pass: false })
  await sink.fetch(`${sink.url}/hook`, signed({}, { 'x-service-signature': secret }))
  expect(told(toBeValidlySigned(sink))).toEqual([
    false,
    [
      'expected a valid signature',
      '  2: POST /hook, invalid',
      '    The header holds the secret itself, which everyone can read, instead of a signature made with it.',
    ].join('\n'),
  ])
})
