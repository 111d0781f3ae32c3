import { expect, it, onTestFinished, vi } from 'vitest'

it('keeps its token where the browser refuses to store anything', async () => {
  const refuse = { getItem: refused, setItem: refused, removeItem: refused }
  vi.stubGlobal('location', { search: '' })
  vi.stubGlobal('sessionStorage', refuse)
  const fetched = vi.fn<typeof fetch>(() => Promise.resolve(Response.json({})))
  vi.stubGlobal('fetch', fetched)
  onTestFinished(() => void vi.unstubAllGlobals())
  const { call, hasControlToken, keepControlToken } =
    await import('../../src/dashboard/data/control.js')

  await call('GET /info')
  expect(hasControlToken()).toBe(false)
  keepControlToken('t0ken')
  await call('GET /info')
  const sent = fetched.mock.calls.map(([, init]) => new Headers(init?.headers).get('authorization'))
  expect(sent).toEqual([null, 'Bearer t0ken'])
})

function refused(): never {
  throw new DOMException('The operation is insecure.', 'SecurityError')
}
