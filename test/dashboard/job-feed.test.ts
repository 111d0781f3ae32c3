import { expect, it, onTestFinished, vi } from 'vitest'
import type { ControlJob } from '../../src/emulator/control/schemas/jobs.js'

it('reads all of a job again after the first answer was lost', async () => {
  vi.stubGlobal('location', { search: '' })
  const event = { id: 'one', index: 0, at: '', type: 'gradient_step', data: { loss: 0.5 } }
  let isLost = true
  vi.stubGlobal('fetch', (url: string) => {
    if (isLost) return Promise.reject(new TypeError('fetch failed'))
    const series = { steps: [1], metrics: { loss: [0.5] }, not_finite: {} }
    return Promise.resolve(
      Response.json(url.includes('metrics') ? series : { events: [event], total: 1 }),
    )
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  const { JobFeed } = await import('../../src/dashboard/data/job-feed.js')

  const feed = new JobFeed('poet', () => {})
  await vi.waitFor(() => expect(feed.error?.message).toContain('does not answer'))
  isLost = false
  feed.follow({ id: 'poet', events: 1, step: 1 } as ControlJob)
  await vi.waitFor(() => expect(feed.isLoaded).toBe(true))
  expect(feed).toMatchObject({ error: undefined, total: 1, events: [event] })
  expect(feed.curves.steps).toEqual([1])
})
