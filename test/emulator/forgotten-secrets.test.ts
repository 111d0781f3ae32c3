import { expect, it } from 'vitest'
import { createEmulator } from '../../src/index.js'
import { jsonHeaders } from '../support/api-client.js'

const KEY = 'the-key-of-ann-that-is-long'
const MOST_REMEMBERED = 1000

/** Sends the key in a body whose answer quotes it. */
async function callWithKey(emulator: ReturnType<typeof createEmulator>): Promise<void> {
  const url = new URL('/v1/preview/models', emulator.trainingUrl)
  const body = JSON.stringify({ name: [KEY] })
  const answer = await emulator.fetch(url, { method: 'POST', headers: jsonHeaders(KEY), body })
  expect(await answer.text()).toContain(KEY)
}

async function callWithOtherKeys(emulator: ReturnType<typeof createEmulator>): Promise<void> {
  const url = new URL('/v1/health', emulator.trainingUrl)
  for (let other = 0; other <= MOST_REMEMBERED; other++) {
    await (await emulator.fetch(url, { headers: jsonHeaders(`another-key-${other}`) })).text()
  }
}

it('a key that was forgotten is not in bodies that nobody read before', async () => {
  const emulator = createEmulator()
  await callWithKey(emulator)
  const [entry] = emulator.journal.entries
  await callWithOtherKeys(emulator)
  expect(emulator.journal.redactor.redact(KEY)).toBe(KEY)
  expect(entry).toMatchObject({ kind: 'request', status: 422 })
  if (entry?.kind !== 'request') return
  expect(entry.shownBody?.text).toBe('{"name":["[not shown]"]}')
  expect(entry.response?.text).toContain('[not shown]')
  expect(entry.response?.text).not.toContain(KEY)
})
