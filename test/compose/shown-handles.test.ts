import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { createEmulator } from '../../src/index.js'

it('what users get is shown by its facts, and not by its private state', async () => {
  const emulator = createEmulator({ scenario: 'failing-job' })
  const sink = emulator.createSink()
  const job = await emulator.jobs.start({ model: 'poet' })
  await emulator.settle()
  const [delivery] = emulator.webhooks.deliveries
  const facts = { kind: 'rl', model: { name: 'poet' }, status: 'failed', gradientSteps: 3 }
  const { id } = delivery!
  const shown = [
    [job, 'JobHandle', facts],
    [emulator, 'Emulator', { scenario: 'failing-job', clock: { mode: 'auto' }, jobs: [facts] }],
    [emulator.clock, 'Clock', { mode: 'auto', now: '2026-01-01T00:00:05.000Z' }],
    [delivery, 'Delivery', { id, status: 'delivered', attempts: [{ status: 200 }] }],
    [sink, 'Sink', { deliveries: [{ deliveryId: id }, {}] }],
    [sink.deliveries[0], 'ReceivedDelivery', { deliveryId: id, verdict: 'valid' }],
  ] as const
  for (const [handle, kind, known] of shown) {
    const json = JSON.stringify(handle)
    expect(JSON.parse(json)).toMatchObject(known)
    expect(inspect(handle, { depth: 9 })).toMatch(/^\{\s+\w+: /)
    // Vitest copies what is only an object, and the getters of private state fail on a copy.
    expect(Object.prototype.toString.call(handle)).toBe(`[object ${kind}]`)
    const copy = Object.create(
      Object.getPrototypeOf(handle) as object,
      Object.getOwnPropertyDescriptors(handle),
    ) as object
    expect(JSON.stringify(copy)).toBe(json)
  }
})
