import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  createEmulator,
  createWebhookSink,
  type Answered,
  type DeliveryRequest,
  type WebhookSink,
} from '../../../src/index.js'
import { LatestItems } from '../../../src/base/text/latest-items.js'
import { signed } from '../sending/sender.js'
import { withHook } from '../sending/world.js'

const MANY = 10_000

/** Counts how often any property of these is read from now on. */
function countReads(things: readonly object[]): () => number {
  let reads = 0
  for (const thing of things) {
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(thing))) {
      const get = (): unknown => {
        reads++
        return value as unknown
      }
      Object.defineProperty(thing, name, { get })
    }
  }
  return () => reads
}

/** Counts how often a list of all items is made from now on. */
function countLists(): () => number {
  const spy = vi.spyOn(LatestItems.prototype, 'all', 'get')
  onTestFinished(() => spy.mockRestore())
  return () => spy.mock.calls.length
}

describe.each([0, MANY])('with %i deliveries received', (count) => {
  async function filled(sink: WebhookSink): Promise<WebhookSink> {
    const body = new TextEncoder().encode('{}')
    const request = { method: 'POST', path: '/', query: '', headers: {}, body, base: '' } as const
    for (let made = 0; made < count; made++) await sink.receive(request)
    expect(sink.deliveries).toHaveLength(count)
    return sink
  }

  it.each(['real', 'auto'] as const)(
    'a new delivery is compared once with each wait, with the clock %s',
    async (clock) => {
      const emulator = createEmulator({ clock })
      const sink = await filled(createWebhookSink({ emulator }))
      let compared = 0
      const waiting = sink.waitFor(({ event }) => {
        compared++
        return event === 'EXPECTED'
      })
      expect(compared).toBe(count)
      await sink.fetch(sink.url, signed({ event_type: 'OTHER' }))
      await sink.fetch(sink.url, signed({ event_type: 'EXPECTED' }))
      expect(await waiting).toHaveLength(1)
      expect(compared).toBe(count + 2)
    },
  )

  it('a new delivery reads at most one earlier delivery, and the one that it replaces', async () => {
    const sink = await filled(createWebhookSink())
    const waiting = sink.waitFor({ event: 'NEVER' }, { timeout: '1m' }).catch(() => [])
    const other = sink.expectNone({ event: 'NEVER' }, { within: '1m' }).catch(() => [])
    const reads = countReads(sink.deliveries)
    const lists = countLists()
    await sink.fetch(sink.url, signed({ event_type: 'OTHER' }))
    await sink.fetch(sink.url, signed({ event_type: 'OTHER' }, { 'webhook-id': 'a' }))
    expect(reads()).toBeLessThanOrEqual(3)
    expect(lists()).toBe(0)
    await sink.fetch(sink.url, signed({ event_type: 'NEVER' }))
    expect(await waiting).toHaveLength(1)
    await other
  })
})

describe.each([0, MANY])('with %i deliveries sent', (count) => {
  it('another one is triggered, sent, received and sent again without reading them', async () => {
    const arrivals: unknown[] = []
    let counting = false
    const send = ({ headers: sent, body }: DeliveryRequest): Promise<Answered> => {
      const names = Object.entries(sent).map(([name, value]) => [name.toLowerCase(), value])
      const headers = Object.fromEntries(names) as Record<string, string>
      const request = { method: 'POST', path: '/', query: '', headers, body, base: '' }
      if (counting) arrivals.push(emulator.webhooks.arriving(request)?.delivery)
      return Promise.resolve({ status: 200, body: '' })
    }
    const storm = { do: 'storm', times: 1000, deliveries: { to: count / 1000 } } as const
    const webhook = { secret: undefined, adversary: count > 0 ? [storm] : [] }
    const emulator = withHook({ url: 'http://receiver.test/' }, webhook, { send })
    const happened = { state: 'finished', run: 'x' } as const
    for (let made = 0; made < count; made += 1000) await emulator.trigger('RUN_STATE', happened)
    await emulator.webhooks.idle()
    expect(emulator.webhooks.deliveries).toHaveLength(count)

    counting = true
    const reads = countReads(emulator.webhooks.deliveries)
    const lists = countLists()
    const [delivery] = await emulator.trigger('RUN_STATE', happened)
    await emulator.webhooks.idle()
    await emulator.webhooks.resend(delivery!.id)
    expect(emulator.webhooks.delivery(delivery!.id)).toBe(delivery)
    expect(reads()).toBe(0)
    expect(lists()).toBe(0)
    expect(arrivals).toEqual([delivery, delivery])
  })
})

it('deliveries are given up if too many wait for a slow receiver, and a note says so once', async () => {
  let sent = 0
  let answer: () => void = () => {}
  const answered = new Promise<void>((resolve) => (answer = resolve))
  const send = async (): Promise<Answered> => {
    await answered
    sent++
    return { status: 200, body: '' }
  }
  const storm = { do: 'storm', times: 1000 } as const
  const webhook = { secret: undefined, adversary: [storm] }
  const emulator = withHook({ url: 'http://receiver.test/' }, webhook, { send })
  const notes: string[] = []
  emulator.journal.subscribe((entry) => entry.kind === 'note' && notes.push(entry.text))
  for (let made = 0; made < 21; made++) {
    await emulator.trigger('RUN_STATE', { state: 'finished', run: `r${made}` })
  }
  answer()
  await emulator.webhooks.idle()
  expect(emulator.webhooks.deliveries).toHaveLength(20_000)
  expect(emulator.webhooks.deliveries.every(({ status }) => status === 'delivered')).toBe(true)
  // The first one was on its way already.
  expect(sent).toBe(20_001)
  expect(notes).toEqual([
    'RUN_STATE finished to hook is not sent: too many deliveries wait, and the oldest are forgotten first. Is its receiver slow?',
  ])
})

it('a sink keeps the latest deliveries, with at most 128 MB of bodies', async () => {
  const sink = createWebhookSink()
  const body = new Uint8Array(50 * 1024 * 1024).fill(32)
  const request = { method: 'POST', path: '/', query: '', headers: {}, body, base: '' } as const
  for (let made = 0; made < 4; made++) await sink.receive(request)
  expect(sink.deliveries.map(({ id }) => id)).toEqual(['3', '4'])
})
