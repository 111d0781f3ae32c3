import { expect, it } from 'vitest'
import { createEmulator, type JournalEntry } from '../../src/index.js'
import { shownCall } from '../../src/service/engine/shown-entry.js'
import { clientOf, jsonHeaders, withKey } from '../support/api-client.js'

const KEY = 'the-key-of-ann-that-is-long'
/** The journal drops the oldest of so many entries, and then the secrets that only they have. It keeps the others. */
const MOST_ENTRIES = 12_500
const KEPT_ENTRIES = 10_000
const DROPPED_ENTRIES = MOST_ENTRIES - KEPT_ENTRIES

/** Sends the key in a body whose answer quotes it. */
async function callWithKey(emulator: ReturnType<typeof createEmulator>): Promise<void> {
  const { body } = await clientOf(emulator).post('/preview/models', { name: [KEY] }, withKey(KEY))
  expect(JSON.stringify(body)).toContain(KEY)
}

/** The journal gets calls of others, as it does when clients make them. */
function callWithOtherKeys(
  { journal }: ReturnType<typeof createEmulator>,
  { count, first = 0 }: { count: number; first?: number },
): void {
  const call = { method: 'GET', path: '/v1/health', query: '', body: new Uint8Array() }
  for (let made = first; made < first + count; made++) {
    const headers = jsonHeaders(`another-key-${Math.floor(made / 100)}`)
    journal.close(journal.open('training', { ...call, headers }), 0)
  }
}

it('a key that was forgotten is not in bodies that nobody read before', async () => {
  const emulator = createEmulator()
  await callWithKey(emulator)
  const [entry] = emulator.journal.entries
  callWithOtherKeys(emulator, { count: DROPPED_ENTRIES })
  expect(emulator.journal.redactor.redact(KEY)).toBe('[not shown]')
  callWithOtherKeys(emulator, { count: KEPT_ENTRIES })
  expect(emulator.journal.redactor.redact(KEY)).toBe(KEY)
  expect(entry).toMatchObject({ kind: 'request', status: 422 })
  if (entry?.kind !== 'request') return
  const { body, response } = shownCall(entry)
  expect(body?.text).toBe('{"name":["[not shown]"]}')
  expect(response?.text).toContain('[not shown]')
  expect(response?.text).not.toContain(KEY)
})

it('a key is known as long as another call has it', async () => {
  const emulator = createEmulator()
  const call = (path: string, body: object) => {
    return clientOf(emulator).post(path, body, withKey('another-key'))
  }
  await callWithKey(emulator)
  callWithOtherKeys(emulator, { count: MOST_ENTRIES - 500 })
  // They come with another key, while the journal still has the call that came with this one.
  await call(`/of/${KEY}`, {})
  await call('/preview/models', { name: 'poet', project: 'p', base_model: KEY })
  callWithOtherKeys(emulator, { count: KEPT_ENTRIES - 1000, first: MOST_ENTRIES })
  expect(emulator.journal.entries).toContainEqual(
    expect.objectContaining({ path: `/v1/of/${KEY}` }),
  )
  expect(emulator.journal.redactor.redact(KEY)).toBe('[not shown]')
  callWithOtherKeys(emulator, { count: MOST_ENTRIES, first: 3 * MOST_ENTRIES })
  expect(emulator.journal.redactor.redact(KEY)).toBe(KEY)
})

it('a key is known as long as a header of another call has it', () => {
  const emulator = createEmulator()
  const { journal } = emulator
  const send = (headers: Record<string, string>): JournalEntry => {
    const call = { method: 'GET', path: '/v1/health', query: '', body: new Uint8Array() }
    const entry = journal.open('training', { ...call, headers })
    journal.respond(entry, { kind: 'response', status: 200, headers, body: '' })
    journal.close(entry, 0)
    return entry
  }
  send(jsonHeaders(KEY))
  callWithOtherKeys(emulator, { count: 3000 })
  const entry = send({ ...jsonHeaders('another-key'), 'x-note': `retry of ${KEY}` })
  callWithOtherKeys(emulator, { count: MOST_ENTRIES - 3000, first: 3000 })
  expect(journal.entries[0]!.id).toBeGreaterThan(1)
  expect(journal.entries).toContain(entry)
  if (entry.kind !== 'request') return
  const { headers, response } = shownCall(entry)
  expect([headers['x-note'], response?.headers['x-note']]).toEqual([
    'retry of [not shown]',
    'retry of [not shown]',
  ])
})

it('a key is not in an answer that came while other keys were being forgotten', async () => {
  const slow = { fault: 'delay' as const, delay: '1h', match: { operation: 'createModel' } }
  const scenario = { name: 'slow', clock: { mode: 'manual' as const }, faults: [slow] }
  const emulator = createEmulator({ scenario })
  let entry: JournalEntry | undefined
  emulator.journal.subscribe((each) => {
    if (each.kind === 'request' && each.operation === 'createModel') entry = each
  })
  const answered = callWithKey(emulator)
  callWithOtherKeys(emulator, { count: DROPPED_ENTRIES })
  // The key is used again, so others are forgotten before it.
  await clientOf(emulator).get('/health', withKey(KEY))
  callWithOtherKeys(emulator, { count: KEPT_ENTRIES, first: DROPPED_ENTRIES })
  const { redactor } = emulator.journal
  expect([redactor.redact('another-key-0'), redactor.redact(KEY)]).toEqual([
    'another-key-0',
    '[not shown]',
  ])
  emulator.clock.advance('1h')
  await answered
  callWithOtherKeys(emulator, { count: DROPPED_ENTRIES, first: MOST_ENTRIES })
  expect(redactor.redact(KEY)).toBe(KEY)
  expect(entry).toMatchObject({ status: 422 })
  if (entry?.kind !== 'request') return
  const { response } = shownCall(entry)
  expect(response?.text).toContain('[not shown]')
  expect(response?.text).not.toContain(KEY)
})
