import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createClient } from '../../../src/client.js'
import type { Answered, DeliveryRequest } from '../../../src/index.js'
import { SECRET, startReceiver } from '../../support/receiver.js'
import { submit } from '../../support/trainer.js'
import { everyState, withHook } from './world.js'

/** Answers nothing until the call is cancelled. */
function hang({ signal }: DeliveryRequest): Promise<Answered> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error))
  })
}

describe('a delivery', () => {
  it('that waits for a resend is refused with 409 if another scenario comes', async () => {
    const emulator = withHook(await startReceiver(() => 'it hangs'))
    const [delivery] = await emulator.trigger('RUN_STATE', { state: 'finished', run: 'x' })
    const post = (path: string, body: object): Promise<Response> => {
      const headers = { 'content-type': 'application/json' }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      return emulator.fetch(new URL(`/_emulator/${path}`, emulator.trainingUrl), init)
    }
    const resent = post(`deliveries/${delivery!.id}/resend`, {})
    await post('scenario', { name: 'sft' })
    const { status } = await resent
    expect(status).toBe(409)
  })

  it('is refused a resend after the world closed, however many were queued', async () => {
    const hooks = Array.from({ length: 20 }, (_, index) => `hook ${index}`)
    let calls = 0
    const emulator = withHook(
      { url: 'http://receiver.test/' },
      {},
      {
        send: (request) => {
          calls++
          return hang(request)
        },
        webhooks: hooks.map((name) => ({ name, url: 'http://receiver.test/' })),
        automations: hooks.map((webhook) => ({ ...everyState, name: `to ${webhook}`, webhook })),
      },
    )
    const sent = await emulator.trigger('RUN_STATE', { state: 'finished', run: 'x' })
    expect(sent).toHaveLength(20)
    await emulator.close()
    const before = calls
    const resent = sent.map(({ id }) => emulator.webhooks.resend(id).catch(String))
    const refused = 'Error: Failed to resend: the world ended.'
    expect(await Promise.all(resent)).toEqual(sent.map(() => refused))
    expect(calls).toBe(before)
  })

  it('that is being resent is cancelled if the world closes', async () => {
    let arrived = () => {}
    const arrives = new Promise<void>((resolve) => (arrived = resolve))
    const answers = [() => Promise.resolve({ status: 500, body: '' })]
    const send = (request: DeliveryRequest) => {
      const answer = answers.shift()
      if (answer) return answer()
      arrived()
      return hang(request)
    }
    const emulator = withHook({ url: 'http://receiver.test/' }, {}, { send })
    const [delivery] = await emulator.trigger('RUN_STATE', { state: 'finished', run: 'x' })
    await emulator.webhooks.idle()
    const resent = emulator.webhooks.resend(delivery!.id).catch(String)
    await arrives
    const { entries } = emulator.journal
    emulator.reset()
    expect(await resent).toContain('the world ended')
    expect(entries.at(-1)).toMatchObject({ error: 'cancelled: the world ended' })
    expect(delivery!.status).toBe('failed')
  })

  it('is resent before everything that its webhook has queued', async () => {
    const sent: string[] = []
    let answer = () => {}
    const first = new Promise<Answered>((resolve) => {
      answer = () => resolve({ status: 200, body: '' })
    })
    const send = async ({ body }: DeliveryRequest): Promise<Answered> => {
      sent.push((JSON.parse(new TextDecoder().decode(body)) as { state: string }).state)
      return sent.length === 2 ? first : { status: 200, body: '' }
    }
    const emulator = withHook({ url: 'http://receiver.test/' }, {}, { send })
    const [old] = await emulator.trigger('RUN_STATE', { state: 'finished' })
    await emulator.webhooks.idle()
    for (const state of ['running', 'failed'] as const)
      await emulator.trigger('RUN_STATE', { state })
    const resent = [1, 2].map(() => emulator.webhooks.resend(old!.id))
    answer()
    expect((await Promise.all(resent)).map(({ number }) => number)).toEqual([2, 3])
    await emulator.webhooks.idle()
    expect(sent).toEqual(['finished', 'running', 'finished', 'finished', 'failed'])
  })

  it('runs after the requests of clients if many are queued', async () => {
    let sent = 0
    const send = () => {
      sent++
      return Promise.resolve({ status: 200, body: '' })
    }
    const webhook = { secret: undefined, adversary: [{ do: 'storm', times: 300 } as const] }
    const emulator = withHook({ url: 'http://receiver.test/' }, webhook, { send })
    await emulator.trigger('RUN_STATE', { state: 'finished', run: 'x' })
    // Without a request, the queue continues at once. No time passes here.
    for (let turn = 0; turn < 100; turn++) await Promise.resolve()
    const before = sent
    expect(before).toBeGreaterThan(0)
    const request = emulator.fetch(`${emulator.trainingUrl}/preview/base-models`)
    for (let turn = 0; turn < 100; turn++) await Promise.resolve()
    expect(sent - before).toBeLessThan(10)
    await request
    await emulator.webhooks.idle()
    expect(sent).toBe(300)
  })

  it('is a signed POST of JSON, recorded with its attempts, its cause and the answers', async () => {
    const receiver = await startReceiver((response) => response.writeHead(202).end('taken'))
    const emulator = withHook(receiver, { access_token: 'TOKEN' })
    await submit(emulator)
    await emulator.settle()
    const [first] = receiver.received
    expect(first).toMatchObject({ method: 'POST', path: '/hook', valid: true })
    expect(first!.headers).toMatchObject({
      'content-type': 'application/json',
      authorization: 'Bearer a-token',
    })
    expect(first!.rawHeaders).toContain('X-Service-Signature')
    expect(receiver.bodies()).toEqual([{ state: 'running' }, { state: 'finished' }])
    const [delivery] = emulator.webhooks.deliveries
    expect(delivery).toMatchObject({ status: 'delivered', webhook: 'hook', automation: 'states' })
    expect(delivery!.attempts).toMatchObject([{ number: 1, status: 202, answer: 'taken' }])
    // @ts-expect-error: only its sender changes it.
    expect(() => (delivery!.status = 'failed')).toThrow('status')
    const { entries } = emulator.journal
    const entry = entries.find(({ kind }) => kind === 'delivery')!
    expect(entry).toMatchObject({
      deliveryId: delivery!.id,
      text: 'RUN_STATE running to hook: 202',
    })
    expect(entries.find(({ id }) => id === entry.cause)).toMatchObject({
      kind: 'job',
      event: 'training_started',
    })
    expect(emulator.webhooks.history('states')[0]).toEqual({
      timestamp: '2026-01-01T00:00:01.000Z',
      automation: 'states',
      event: 'RUN_STATE',
      status: 'Finished',
      action: { url: receiver.url, payload: '{"state":"running"}' },
      response_status: 202,
      error: null,
    })
  })

  it('has no token and no signature if its webhook has none', async () => {
    const receiver = await startReceiver()
    const emulator = withHook(receiver, { secret: undefined })
    await submit(emulator)
    await emulator.settle()
    expect(receiver.received[0]!.headers).not.toHaveProperty('authorization')
    expect(receiver.received[0]!.headers).not.toHaveProperty('x-service-signature')
  })

  it('shows how long its answer took, without meaningless digits', async () => {
    const emulator = withHook(await startReceiver())
    await submit(emulator)
    await emulator.settle()
    const answers = emulator.webhooks.deliveries.flatMap(({ attempts }) => attempts)
    const requests = emulator.journal.entries.filter((entry) => entry.kind === 'request')
    expect(answers).toHaveLength(2)
    expect(requests).toHaveLength(2)
    for (const { took } of [...answers, ...requests]) {
      expect(String(took)).toMatch(/^\d+(?:\.\d{1,2})?$/)
    }
  })

  it('shows the answer of a refusing receiver in one line, without secrets', async () => {
    const said = [`${SECRET}\n is not\n"a-token"`, 'x'.repeat(500), `x${'🙂'.repeat(500)}`]
    const receiver = await startReceiver((response) => response.writeHead(403).end(said.shift()))
    const emulator = withHook(receiver, { access_token: 'TOKEN', retries: ['1s', '1s'] })
    const [delivery] = await emulator.trigger('RUN_STATE', { state: 'finished', run: 'x' })
    await emulator.settle()
    expect(emulator.trace()).toContain(
      'RUN_STATE finished to hook: 403 [not shown] is not "[not shown]"; again in 1s\n',
    )
    expect(emulator.trace()).toMatch(/ finished to hook \(attempt 2\): 403 x{160}…; again in 1s$/m)
    // Each of these characters has two halves.
    expect(emulator.trace()).toMatch(/ finished to hook \(attempt 3\): 403 x(?:🙂){79}…$/u)
    expect(delivery!.attempts[2]!.answer).toBe(`x${'🙂'.repeat(499)}\ufffd`)
  })

  it('arrives in order, however slow the receiver is', async () => {
    const late: (() => void)[] = []
    const receiver = await startReceiver((response) => {
      late.push(() => response.end())
      setImmediate(() => setImmediate(() => late.shift()!()))
    })
    const emulator = withHook(receiver)
    await submit(emulator, 'one')
    emulator.clock.advance('1m')
    await submit(emulator, 'two')
    emulator.clock.advance('1m')
    await emulator.webhooks.idle()
    const states = receiver.bodies().map(({ state }) => state as string)
    expect(states).toEqual(['running', 'finished', 'running', 'finished'])
  })

  it('blocks no API call, even if the receiver hangs', async () => {
    const receiver = await startReceiver(() => {})
    const emulator = withHook(receiver)
    await submit(emulator)
    emulator.clock.advance('1m')
    expect(await submit(emulator, 'other')).toMatch(/^[0-9a-f-]{36}$/)
    expect(emulator.webhooks.inFlight).toBeGreaterThan(0)
    emulator.reset()
    expect(emulator.webhooks.deliveries).toEqual([])
    expect(emulator.webhooks.inFlight).toBe(0)
  })
})

describe('a delivery that fails', () => {
  it('is retried at once with a clock that skips time', async () => {
    const receiver = await startReceiver((response) => response.writeHead(503).end())
    const webhook = { retries: ['1s', '1h'] }
    const emulator = withHook(receiver, webhook, { clock: 'instant' })
    await submit(emulator)
    await emulator.webhooks.idle()
    expect(receiver.received).toHaveLength(6)
    const [first] = emulator.webhooks.deliveries
    expect(first!.attempts).toHaveLength(3)
  })

  it('is retried if it cannot be signed, and says why', async () => {
    const receiver = await startReceiver()
    const emulator = withHook(receiver, { retries: ['1s'] })
    const importKey = vi.spyOn(crypto.subtle, 'importKey')
    importKey.mockRejectedValueOnce(new Error(`no key for ${SECRET}`))
    onTestFinished(() => importKey.mockRestore())
    const [delivery] = await emulator.trigger('RUN_STATE', { state: 'finished', run: 'x' })
    await emulator.settle()
    const error = 'not sent: signing failed: no key for [not shown]'
    expect(delivery!.attempts).toMatchObject([{ number: 1, error, headers: {} }, { status: 200 }])
    expect(delivery!.status).toBe('delivered')
    expect(emulator.trace()).toContain(`RUN_STATE finished to hook: ${error}; again in 1s`)
    expect(receiver.received).toMatchObject([{ valid: true }])
  })

  it('does not follow a redirect', async () => {
    const receiver = await startReceiver((response, { path }) => {
      if (path === '/hook') response.writeHead(307, { location: '/elsewhere' })
      response.end()
    })
    const emulator = withHook(receiver)
    await submit(emulator)
    await emulator.settle()
    const [delivery] = emulator.webhooks.deliveries
    expect(delivery!.attempts[0]!.error).toBe('redirected with 307, which is not followed')
    expect(receiver.received.map(({ path }) => path)).toEqual(['/hook', '/hook'])
  })

  it('disables its webhook after a 410, until it is enabled', async () => {
    let gone = true
    const receiver = await startReceiver((response) => response.writeHead(gone ? 410 : 200).end())
    const emulator = withHook(receiver, { retries: ['1s'] })
    await submit(emulator)
    await emulator.settle()
    expect(receiver.received).toHaveLength(1)
    const [first, second] = emulator.webhooks.deliveries
    const again =
      'Enable it again: webhooks.enable(), POST /_emulator/webhooks/hook/enable, or over MCP set_webhook with its URL'
    expect(emulator.trace()).toContain(
      `RUN_STATE to hook: answered 410 after 1 attempt. The receiver at ${receiver.url} says that it is gone (410), which disables a webhook: correct the URL, or what it answers. ${again}.\n`,
    )
    const error = `not sent: it answered 410, which disables a webhook. ${again}`
    expect(second!.attempts[0]!.error).toBe(error)
    expect(await emulator.webhooks.resend(first!.id)).toMatchObject({ number: 2, error })
    expect(emulator.trace()).toContain(`RUN_STATE to hook: It was ${error}.`)
    const client = createClient({ url: emulator.trainingUrl, fetch: emulator.fetch })
    expect(await client.deliveries.list()).toMatchObject([
      // The signature that was sent, and not that of the attempt that sent nothing.
      { verdict: 'valid', diagnosis: `It was ${error}.`, body: first!.text },
      { verdict: null, diagnosis: `It was ${error}.`, headers: {} },
    ])
    expect(await client.deliveries.get(second!.id)).toMatchObject({
      verdict: null,
      diagnosis: `It was ${error}.`,
    })
    gone = false
    await client.webhooks.enable('hook')
    expect(await emulator.webhooks.resend(second!.id)).toMatchObject({ number: 2, status: 200 })
    expect(second!.status).toBe('delivered')
  })

  it('has a limited real time', async () => {
    const receiver = await startReceiver(() => {})
    const emulator = withHook(receiver, { timeout: '30ms' })
    await submit(emulator)
    await emulator.settle()
    expect(emulator.webhooks.deliveries[0]!.attempts[0]!.error).toBe('no answer within 30ms')
  })
})
