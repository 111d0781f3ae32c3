import { createServer } from 'node:http'
import { afterEach, beforeEach, expect, jest as timers, test } from '@jest/globals'
import { createEmulator } from 'svtrain-emulator'

let emulator
let receiver
let answers

beforeEach(async () => {
  answers = []
  receiver = createServer((request, response) => {
    request.resume()
    const answer = answers.shift() ?? 200
    if (answer !== 'none') response.writeHead(answer).end()
  })
  await new Promise((resolve) => receiver.listen(0, '127.0.0.1', resolve))
  emulator = createEmulator()
  emulator.webhooks.add({
    webhooks: [
      {
        name: 'deploy',
        url: `http://127.0.0.1:${receiver.address().port}/hook`,
        retries: ['10s'],
        timeout: '250ms',
      },
    ],
    automations: [{ name: 'on failure', webhook: 'deploy', event: 'RUN_STATE', payload: {} }],
  })
  timers.useFakeTimers()
})

afterEach(async () => {
  await emulator.close()
  timers.useRealTimers()
  receiver.closeAllConnections()
  receiver.close()
})

async function deliver() {
  await emulator.trigger('RUN_STATE', { state: 'failed' })
  await emulator.settle()
  return emulator.webhooks.deliveries.at(-1).attempts.map(({ status, error }) => status ?? error)
}

test('a receiver that refuses connections', async () => {
  const { port } = receiver.address()
  await new Promise((resolve) => receiver.close(resolve))
  const refused = `connect ECONNREFUSED 127.0.0.1:${port}`
  expect(await deliver()).toEqual([refused, refused])
})

test('a receiver that answers over one connection', async () => {
  answers = [503, 200, 200]
  expect(await deliver()).toEqual([503, 200])
  expect(await deliver()).toEqual([200])
})

test('a receiver that gives no answer at first', async () => {
  answers = ['none', 200]
  expect(await deliver()).toEqual(['no answer within 250ms', 200])
})
