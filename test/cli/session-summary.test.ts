import { expect, it } from 'vitest'
import { SessionSummary } from '../../src/cli/session-summary.js'
import { createEmulator } from '../../src/index.js'

const paint = (_style: unknown, text: string): string => text

it('the last lines say how many requests and jobs failed, and why', async () => {
  const emulator = createEmulator({ scenario: 'failing-job', clock: 'manual' })
  const summary = new SessionSummary()
  emulator.journal.subscribe((entry) => summary.add(entry))
  const headers = { authorization: `Bearer ${emulator.apiKey}` }
  for (const path of ['/health', '/helth', '/helth', '/modles']) {
    await emulator.fetch(emulator.trainingUrl + path, { headers })
  }
  await emulator.jobs.start()
  await emulator.settle()
  const [first, ...refusals] = summary.lines({ paint })
  expect(first).toMatch(/^Stopped after \S+: 4 requests \(3 failed\), 1 job \(1 failed\)\.$/)
  expect(refusals).toEqual([
    '  404  GET /v1/helth (2 times): Not Found',
    '  404  GET /v1/modles: Not Found',
  ])
})

it.each([
  ['/d', '1 other failure'],
  ['/d /d', '2 other failures'],
])('the last lines count the failures that they do not show: %s', async (others, counted) => {
  const emulator = createEmulator()
  const summary = new SessionSummary()
  emulator.journal.subscribe((entry) => summary.add(entry))
  for (const path of ['/a', '/a', '/b', '/b', '/c', '/c', ...others.split(' ')]) {
    await emulator.fetch(emulator.trainingUrl + path)
  }
  expect(summary.lines({ paint }).at(-1)).toBe(`  … and ${counted}`)
})

it('the last lines are short if nothing happened', () => {
  expect(new SessionSummary().lines({ paint })).toEqual([
    expect.stringMatching(/^Stopped after \S+: 0 requests, 0 jobs\.$/),
  ])
})
