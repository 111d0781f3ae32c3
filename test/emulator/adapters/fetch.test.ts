import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { createFetch } from '../../../src/emulator/adapters/fetch.js'
import { toResponse } from '../../../src/emulator/adapters/fetch-response.js'
import { createEmulator } from '../../../src/index.js'
import { jsonHeaders } from '../../support/api-client.js'

const headers = jsonHeaders()
const chat = { model: 'example/base-8b-instruct', messages: [{ role: 'user', content: 'Hi' }] }

it('accepts a Request, a URL or a string, as fetch does', async () => {
  const { fetch, trainingUrl } = createEmulator()
  const url = `${trainingUrl}/preview/base-models`
  for (const input of [url, new URL(url), new Request(url)]) {
    expect((await fetch(input)).status).toBe(200)
  }
  const body = JSON.stringify(chat)
  const request = new Request(`${trainingUrl}/chat/completions`, { method: 'POST', headers, body })
  expect(await (await fetch(request)).json()).toMatchObject({ object: 'chat.completion' })
  expect(request.bodyUsed).toBe(true)
  await expect(fetch(request)).rejects.toThrow(TypeError)
})

it('refuses an address that is not its own as fetch refuses an unreachable one', async () => {
  const refused = createEmulator().fetch('https://elsewhere.example/v1')
  await expect(refused).rejects.toThrow(new TypeError('fetch failed'))
  await expect(refused).rejects.toMatchObject({
    cause: new Error('https://elsewhere.example is not an address of this emulator'),
  })
})

it('rejects a dropped connection with the code that retrying clients look for', async () => {
  const { fetch, trainingUrl } = createEmulator({
    scenario: { name: 'x', faults: [{ fault: 'drop', calls: 1 }] },
  })
  const url = `${trainingUrl}/preview/base-models`
  await expect(fetch(url)).rejects.toMatchObject({
    message: 'fetch failed',
    cause: { code: 'UND_ERR_SOCKET' },
  })
  expect((await fetch(url)).status).toBe(200)
})

it('streams an answer piece by piece', async () => {
  const { fetch, trainingUrl } = createEmulator()
  const body = JSON.stringify({ ...chat, stream: true })
  const response = await fetch(`${trainingUrl}/chat/completions`, { method: 'POST', headers, body })
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  const pieces: string[] = []
  for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) pieces.push(piece)
  // The first chunk is sent at once. The chunks that are ready after it are sent together.
  expect(pieces[0]!.match(/^data: /gm)).toHaveLength(1)
  expect(pieces.length).toBeGreaterThan(1)
  expect(pieces.at(-1)).toMatch(/data: \[DONE\]\n\n$/)
})

it('ends a stream when the client aborts, and stops producing it', async () => {
  let stopped = false
  const chunks = (function* () {
    try {
      for (;;) yield 'data: more\n\n'
    } finally {
      stopped = true
    }
  })()
  const outcome = { kind: 'stream', status: 200, headers: {}, chunks } as const
  const fetch = createFetch(
    () => outcome,
    () => 'training',
  )
  const giveUp = new AbortController()
  const response = await fetch('http://x.test/', { signal: giveUp.signal })
  const reader = response.body!.getReader()
  await reader.read()
  giveUp.abort()
  await expect(reader.closed).rejects.toThrow(/abort/)
  expect(stopped).toBe(true)
})

it('rejects when the client aborts a delayed response', async () => {
  const { fetch, trainingUrl } = createEmulator({
    clock: 'manual',
    scenario: { name: 'x', faults: [{ fault: 'delay', delay: '1h' }] },
  })
  const giveUp = new AbortController()
  const waiting = fetch(`${trainingUrl}/preview/base-models`, { signal: giveUp.signal })
  giveUp.abort(new Error('enough'))
  await expect(waiting).rejects.toThrow('enough')
  await expect(fetch(trainingUrl, { signal: giveUp.signal })).rejects.toThrow('enough')
})

it('follows, refuses or returns a redirect, as the request says', async () => {
  const { fetch, trainingUrl } = createEmulator({ basePath: '/api' })
  const url = `${trainingUrl}/preview/base-models`
  const followed = await fetch(`${url}/?a=1`)
  expect(followed).toMatchObject({ status: 200, redirected: true, url: `${url}?a=1` })
  const shown = await fetch(`${url}/`, { redirect: 'manual' })
  expect(shown).toMatchObject({ status: 307, redirected: false, url: `${url}/` })
  expect(shown.headers.get('location')).toBe(url)
  await expect(fetch(`${url}/`, { redirect: 'error' })).rejects.toThrow(TypeError)
})

it('goes where an answer of its own redirects to, as fetch does', async () => {
  const locations: Readonly<Record<string, string>> = {
    '/whole': 'http://x.test/end?a=1',
    '/relative': 'end?a=1',
    '/away': 'https://elsewhere.example/end',
    '/round': 'http://x.test/round',
  }
  let calls = 0
  const fetch = createFetch(
    (_host, { path }) => {
      const location = calls++ < 100 ? locations[path] : undefined
      if (location === undefined) return { kind: 'response', status: 200, headers: {}, body: path }
      return { kind: 'response', status: 307, headers: { location }, body: '' }
    },
    ({ host }) => (host === 'x.test' ? 'training' : undefined),
  )
  for (const from of ['whole', 'relative']) {
    const followed = await fetch(`http://x.test/${from}`)
    expect(followed).toMatchObject({ redirected: true, url: 'http://x.test/end?a=1' })
    expect(await followed.text()).toBe('/end')
  }
  const shown = await fetch('http://x.test/away', { redirect: 'manual' })
  expect(shown.headers.get('location')).toBe('https://elsewhere.example/end')
  await expect(fetch('http://x.test/away')).rejects.toMatchObject({
    cause: new Error('https://elsewhere.example is not an address of this emulator'),
  })
  await expect(fetch('http://x.test/round')).rejects.toMatchObject({
    cause: new Error('redirect count exceeded'),
  })
})

it.each([
  [301, 'POST', 'GET'],
  [302, 'POST', 'GET'],
  [302, 'PUT', 'PUT'],
  [303, 'PUT', 'GET'],
  [303, 'HEAD', 'HEAD'],
  [307, 'POST', 'POST'],
  [308, 'POST', 'POST'],
])('follows %i after %s with %s, as fetch does', async (status, method, next) => {
  const seen: unknown[] = []
  const fetch = createFetch(
    (_host, call) => {
      seen.push([call.path, call.method, call.headers['content-type'], call.body.length])
      const code = call.path === '/end' ? 200 : status
      return { kind: 'response', status: code, headers: { location: '/end' }, body: '' }
    },
    () => 'training',
  )
  const init = { method, headers, body: method === 'HEAD' ? null : '{}' }
  expect(await fetch('http://x.test/', init)).toMatchObject({ redirected: true })
  const sent = next === 'GET' ? [undefined, 0] : [headers['content-type'], init.body?.length ?? 0]
  expect(seen.at(-1)).toEqual(['/end', next, ...sent])
})

it('returns responses that are not JSON or have no body unchanged', async () => {
  const emulator = createEmulator({
    scenario: {
      name: 'x',
      faults: [
        { fault: 'malformed', form: 'html', status: 204, calls: 1 },
        { fault: 'malformed', form: 'html', calls: 2 },
      ],
    },
  })
  const url = `${emulator.trainingUrl}/preview/base-models`
  const head = await emulator.fetch(url, { method: 'HEAD' })
  expect([head.status, head.body]).toEqual([405, null])
  const none = await emulator.fetch(url)
  expect([none.status, none.body]).toEqual([204, null])
  expect(await (await emulator.fetch(url)).text()).toMatch(/^<html>/)
})

it('reads a body up to its limit, as a port does', async () => {
  const read: unknown[] = []
  const fetch = createFetch(
    (_host, { body }) => {
      read.push(body)
      return { kind: 'response', status: 200, headers: {}, body: '' }
    },
    () => 'training',
    { bodyLimit: 4 },
  )
  for (const body of ['four', 'fives']) await fetch('http://x.test', { method: 'POST', body })
  expect(read).toEqual([new TextEncoder().encode('four'), 'too-large'])
})

it('rejects while its emulator is closed, and works again once it listens', async () => {
  const emulator = createEmulator()
  const url = `${emulator.trainingUrl}/health`
  await emulator.close()
  await expect(emulator.fetch(url)).rejects.toMatchObject({
    name: 'TypeError',
    cause: {
      code: 'SVTRAIN_CLOSED',
      message: 'this emulator is closed. Close it after the last request, or create another one.',
    },
  })
  await emulator.listen()
  expect((await emulator.fetch(url, { headers })).status).toBe(200)
  await emulator.close()
})

it('keeps the abort of a caller while garbage is collected', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc') as () => void
  const { fetch, trainingUrl } = createEmulator({
    scenario: {
      name: 'hangs',
      faults: [
        { fault: 'hang', calls: 1 },
        { fault: 'hang', stage: 'mid_body' },
      ],
    },
  })
  const url = `${trainingUrl}/chat/completions`
  const init = { method: 'POST', headers, body: JSON.stringify({ ...chat, stream: true }) }
  const caller = new AbortController()
  const hangs = fetch(url, { ...init, signal: caller.signal })
  const other = new AbortController()
  const stalls = await fetch(new Request(url, { ...init, signal: other.signal }))
  const text = stalls.text()
  for (let turn = 0; turn < 4; turn += 1) {
    await setImmediate()
    collectGarbage()
  }
  caller.abort(new Error('the caller left'))
  await expect(hangs).rejects.toThrow('the caller left')
  other.abort(new Error('the other caller left'))
  await expect(text).rejects.toThrow('the other caller left')
})

it('keeps the order of texts and bytes of one answer', async () => {
  const chunks = ['a', 'b', 'c', new TextEncoder().encode('D'), 'e', 'f']
  const outcome = { kind: 'stream', status: 200, headers: {}, chunks } as const
  const answer = toResponse(outcome, new Request('http://127.0.0.1/'))
  expect(await answer.text()).toBe('abcDef')
})
