import { describe, expect, it } from 'vitest'
import { operations } from '../../../src/compose/control-table.js'
import type { ScenarioInput } from '../../../src/index.js'
import { controlled } from './control.js'

const controlRows = operations.filter(({ host }) => host === 'control')

describe('a call of the control API', () => {
  const scenario: ScenarioInput = {
    name: 'everything-fails',
    auth: { keys: { 'key-1': { user: 'me', entity: 'team' } } },
    faults: [
      { fault: 'delay', delay: '1h' },
      { fault: 'status', status: 503 },
    ],
  }

  it.each(controlRows.filter(({ method, id }) => method === 'GET' && id !== 'stream'))(
    'needs no key, has no faults, takes no time and is not recorded: $path',
    async ({ id, path }) => {
      const { emulator, call } = controlled({ scenario })
      const query = {
        awaitRequests: '?timeout=1ms',
        readTrace: '?format=json',
        readRunFile: '?path=a.txt',
        readArtifactFile: '?path=a.txt',
      }[id]
      const now = emulator.clock.now()
      const { status } = await call(
        `GET ${path.replace('/_emulator', '').replace(/\{\w+\}/, 'unknown')}${query ?? ''}`,
      )
      const asked = { awaitRequests: 408, listSinkRecords: 404 }[id]
      expect(status).toBe(asked ?? (path.includes('{') ? 404 : 200))
      expect(emulator.journal.entries).toEqual([])
      expect(emulator.clock.now()).toBe(now)
    },
  )

  it('can change something under the same conditions', async () => {
    const { emulator, call } = controlled({ scenario })
    expect(await call('POST /models', { name: 'poet' })).toMatchObject({ status: 200 })
    expect(await call('POST /jobs', { model: 'poet' })).toMatchObject({ status: 200 })
    expect(await call('POST /clock/advance', { by: '1s' })).toMatchObject({ status: 200 })
    // What the calls did is noted; the calls themselves are not.
    expect(new Set(emulator.journal.entries.map(({ kind }) => kind))).not.toContain('request')
    const { faults } = (await call('GET /faults')).body
    expect(faults).toMatchObject([{ hits: 0 }, { hits: 0 }])
  })
})

it.each([new RangeError('Invalid array length'), new TypeError('x is undefined')])(
  'an error inside a call of the control API is answered with 500 if it is unexpected: %s',
  async (error) => {
    const { emulator, call } = controlled()
    emulator.clock.at(emulator.clock.now() + 1000, () => {
      throw error
    })
    expect(await call('POST /clock/advance', { by: '2s' })).toEqual({
      status: 500,
      body: { detail: `The emulator failed to answer this; please report it. ${String(error)}` },
    })
  },
)
