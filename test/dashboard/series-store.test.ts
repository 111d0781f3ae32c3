import { expect, it, onTestFinished, vi } from 'vitest'
import type { ControlJob } from '../../src/emulator/control/schemas/jobs.js'

it('remembers the curves of the latest jobs, and of those that are shown', async () => {
  vi.stubGlobal('location', { search: '' })
  vi.stubGlobal('sessionStorage', { getItem: () => null })
  vi.stubGlobal('document', { timeline: { currentTime: 0 } })
  const series = { steps: [1], metrics: { loss: [0.5] }, not_finite: {} }
  vi.stubGlobal('fetch', () => Promise.resolve(Response.json(series)))
  onTestFinished(() => void vi.unstubAllGlobals())
  const { MOST_SERIES, SeriesStore } = await import('../../src/dashboard/data/series-store.js')

  const jobs = Array.from({ length: 3 * MOST_SERIES }, (_, index): ControlJob => {
    return { id: `job ${index}`, step: 1 } as ControlJob
  })
  const store = new SeriesStore(() => {})
  const isKnown = ({ id }: ControlJob): boolean => store.of(id) !== undefined
  const shown = 10
  for (let first = 0; first < jobs.length; first += shown) {
    const page = jobs.slice(first, first + shown)
    store.follow(page, 40)
    await vi.waitFor(() => expect(page.every(isKnown)).toBe(true), { interval: 1 })
  }
  const known = jobs.filter(isKnown)
  expect(known).toEqual(jobs.slice(-known.length))
  expect(known.length).toBeGreaterThanOrEqual(MOST_SERIES)
  expect(known.length).toBeLessThanOrEqual(MOST_SERIES + 2 * shown)
})
