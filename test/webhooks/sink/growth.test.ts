import { describe, expect, it } from 'vitest'
import {
  createEmulator,
  createWebhookSink,
  type Answered,
  type WebhookSink,
} from '../../../src/index.js'
import { signed } from '../sending/sender.js'
import { withHook } from '../sending/world.js'

const MANY = 10_000

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
