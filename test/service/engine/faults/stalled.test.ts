import { expect, it } from 'vitest'
import { describeTransports, type Api } from '../../../support/transports.js'
import { jsonHeaders } from '../../../support/api-client.js'

const scenario = {
  name: 'stalls',
  faults: [{ fault: 'hang' as const, stage: 'mid_body' as const, calls: 1 }],
  chat: { rules: [{ answer: 'One two three four five six seven eight.' }] },
}

/** Reads the first part of an answer that never ends. Returns it, and the rest as a promise. */
async function begin(api: Api, stream: boolean, signal?: AbortSignal) {
  const response = await api.fetch(`${api.emulator.inferenceUrl}/chat/completions`, {
    method: 'POST',
    headers: jsonHeaders(),
    body: JSON.stringify({
      model: 'example/base-8b-instruct',
      messages: [{ role: 'user', content: 'Count.' }],
      stream,
    }),
    signal: signal ?? null,
  })
  const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  const rest = (async () => {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return 'complete'
      text += value
    }
  })()
  rest.catch(() => {})
  return { response, reader, rest, read: () => text }
}

describeTransports('an answer that stops half-way', (open) => {
  it('has its status, its headers and half of the stream', async () => {
    const api = await open({ scenario })
    const { response, read } = await begin(api, true)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toContain('text/event-stream')
    await expect.poll(read).toContain('four')
    expect(read()).not.toContain('seven')
    expect(read()).not.toContain('[DONE]')
    const request = await api.emulator.requests.waitFor({ status: 200 })
    expect(request).toMatchObject({ lost: 'hang' })
    expect(request.effects).toContain('fault 1: nothing after half of the response')
    expect(api.emulator.engine.delayed.hanging).toBe(1)
  })

  it('has half of a body without a stream', async () => {
    const api = await open({ scenario })
    const { response, read } = await begin(api, false)
    expect(response.status).toBe(200)
    await expect.poll(read).toMatch(/^\{"id":"chatcmpl-/)
    expect(() => JSON.parse(read()) as unknown).toThrow(SyntaxError)
    expect(Number(response.headers.get('content-length'))).toBeGreaterThan(read().length)
  })

  it('frees everything when the client leaves', async () => {
    const faults = [{ fault: 'concurrency' as const, most: 1 }, ...scenario.faults]
    const api = await open({ scenario: { ...scenario, faults, chat: { concurrency: 1 } } })
    const leaving = new AbortController()
    const { rest } = await begin(api, true, leaving.signal)
    expect((await api.get('/health')).status).toBe(429)
    leaving.abort()
    await expect(rest).rejects.toThrow(/abort/)
    const { delayed } = api.emulator.engine
    await expect.poll(() => delayed.hanging, { timeout: 4000 }).toBe(0)
    await expect.poll(async () => (await api.get('/health')).status).toBe(200)
    const messages = [{ role: 'user', content: 'Count.' }]
    const again = { model: 'example/base-8b-instruct', messages }
    expect((await api.inference.post('/chat/completions', again)).status).toBe(200)
  })

  it('breaks off when the world closes', async () => {
    const api = await open({ scenario })
    const { rest, read } = await begin(api, true)
    await expect.poll(read).toContain('four')
    api.emulator.reset()
    await expect(rest).rejects.toThrow(/terminated|network|fetch failed|aborted/)
  })

  it('does not keep settle from coming to rest', async () => {
    const api = await open({ scenario })
    await begin(api, true)
    await api.emulator.settle()
    expect(api.emulator.clock.pending).toBe(0)
  })

  it('arrives at its pace until it stops', async () => {
    const chat = { ...scenario.chat, pace: { first_token: '1s', tokens_per_second: 2 } }
    const api = await open({ scenario: { ...scenario, chat } })
    const started = begin(api, true)
    await api.emulator.settle()
    const { read } = await started
    await expect.poll(read).toContain('four')
    expect(read()).not.toContain('seven')
    // Nine tokens, at two a second.
    expect(api.emulator.clock.now() - Date.UTC(2026, 0, 1)).toBeGreaterThan(4000)
  })
})

describeTransports('settle', (open) => {
  it('says that a response hangs if the client waits for it', async () => {
    const api = await open({ scenario })
    const { rest } = await begin(api, true)
    await expect(api.emulator.settle(rest, { within: '200ms' })).rejects.toThrow(
      '1 response hangs: a fault of the kind "hang" keeps the rest until the client leaves.',
    )
  })
})
