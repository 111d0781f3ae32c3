import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { jsonHeaders } from '../support/api-client.js'
import { exitsOf } from './exits.js'
import { openEmulator } from './open-emulator.js'

/** A title for a terminal, colors in both forms, a change of direction, and line ends that fake a line. */
const EVIL = '\u001b]0;x\u0007\u001b[31m\u009b31m\u202eRTL\rCR\nFAKE-LINE\u0000\u007f'

/** What a terminal obeys, or what hides or reorders text. */
const RAW =
  // oxlint-disable-next-line no-control-regex
  /[\0-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]|\r(?!\n)|^FAKE-LINE/m

/** What a test prints itself. */
const OF_TESTS = ['the journal as JSON', 'the journal in console.log', 'emulator.har()']

it('no output has control characters of a client, or a line that it faked', async () => {
  const emulator = openEmulator({ scenario: 'webhook-storm', clock: 'instant' })
  emulator.createSink()
  const post = async (path: string, body: unknown): Promise<{ id?: string }> => {
    const init = { method: 'POST', headers: jsonHeaders(), body: JSON.stringify(body) }
    return (await emulator.fetch(new URL(path, emulator.trainingUrl), init)).json() as object
  }
  const base_model = 'example/base-8b-instruct'
  const { id } = await post('/v1/preview/models', { project: 'demo', name: `a\u202eb`, base_model })
  expect(id).toBeDefined()
  await post('/v1/preview/models', { project: EVIL, name: EVIL, base_model: EVIL, [EVIL]: EVIL })
  await post('/v1/preview/training-jobs', {
    model_id: id,
    trajectory_groups: [{ trajectories: [{ messages: [], reward: 1, metrics: { [EVIL]: 1 } }] }],
  })
  await post(`/v1/${encodeURIComponent(EVIL)}?${encodeURIComponent(EVIL)}=1`, { model: EVIL })
  await post('/v1/chat/completions', { model: EVIL, messages: [{ role: 'user', content: EVIL }] })
  await post('/_emulator/jobs', { model: EVIL })
  await post('/_emulator/faults', {
    name: EVIL,
    fault: 'status',
    status: 503,
    match: { path: EVIL },
  })
  await emulator.settle()
  const raw: string[] = []
  for (const [name, exit] of exitsOf(emulator)) {
    // A line end is a line of a page only where its markup says so.
    const text = name.includes('report') ? (await exit()).replaceAll('FAKE-LINE', '') : await exit()
    if (!OF_TESTS.includes(name) && RAW.test(text)) raw.push(name)
  }
  expect(raw).toEqual([])
})

it('a command prints no JSON that is not escaped', () => {
  const folder = join(import.meta.dirname, '../../src/cli')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const raw = files.filter((file) => {
    if (!file.endsWith('.ts')) return false
    return /\bwrite(?:Error)?\(\s*JSON\.stringify/.test(readFileSync(join(folder, file), 'utf8'))
  })
  expect(raw, 'use printableJson').toEqual([])
})
