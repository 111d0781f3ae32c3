import { expect, it, vi } from 'vitest'
import { Sender } from '../../../src/webhooks/sending/sender.js'
import { submit } from '../../support/trainer.js'
import { withHook } from './world.js'

/** One file of `src` for each call on the stack, outermost first, with the calls that await it. */
function calls(): string[] {
  const limit = Error.stackTraceLimit
  Error.stackTraceLimit = 100
  const stack = new Error('only for its stack').stack!.split('\n')
  Error.stackTraceLimit = limit
  return stack.flatMap((line) => /\/src\/(.*?):/.exec(line)?.[1] ?? []).toReversed()
}

const { value: sendAsIs } = Object.getOwnPropertyDescriptor(Sender.prototype, 'send') as {
  value: Sender['send']
}

it('a webhook takes at most 12 calls from an engine event to the bytes on the wire', async () => {
  const toSender: string[][] = []
  const toWire: string[][] = []
  const spy = vi.spyOn(Sender.prototype, 'send')
  spy.mockImplementation(function (this: Sender, ...delivery) {
    toSender.push(calls())
    Reflect.apply(sendAsIs, this, delivery)
  })
  const send = () => {
    toWire.push(calls())
    return Promise.resolve({ status: 200, body: '' })
  }
  const emulator = withHook({ url: 'http://receiver.test/' }, {}, { send })
  await submit(emulator)
  await emulator.settle()
  spy.mockRestore()

  const event = toSender[0]!.lastIndexOf('service/engine/engine-events.ts')
  // On neither stack: `Sender.send` calls a method that queues the delivery, and the queue runs it.
  const queued = Array.from({ length: 4 }, () => 'webhooks/sending/sender.ts')
  const path = [...toSender[0]!.slice(event), ...queued, ...toWire[0]!]
  expect(path.length).toBeLessThanOrEqual(12)
  expect(path.filter((file, index) => file !== path[index - 1])).toEqual([
    'service/engine/engine-events.ts',
    'webhooks/sending/active-webhooks.ts',
    'webhooks/sending/sender.ts',
    'webhooks/sending/transport.ts',
  ])
})
