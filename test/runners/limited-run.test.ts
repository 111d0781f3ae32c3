import { expect, it } from 'vitest'
import { endOf } from '../../src/runners/limited-run.js'

const forever = (): Promise<never> => new Promise(() => {})

it('a run ends at once if its exploration has stopped already', async () => {
  const end = await endOf(forever, { timeout: 3_600_000, stopping: AbortSignal.abort() })
  expect(end).toEqual({ ended: 'timeout' })
})

it.each([
  [new TypeError('no poem'), 'no poem'],
  [Object.assign(new TypeError('no poem'), { message: '' }), 'TypeError'],
])('a run that throws %s ends with %j', async (thrown, error) => {
  const stopping = new AbortController().signal
  const end = await endOf(() => Promise.reject(thrown), { timeout: 3_600_000, stopping })
  expect(end).toEqual({ ended: 'error', error })
})
