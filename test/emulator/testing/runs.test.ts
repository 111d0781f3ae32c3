import { expect, it } from 'vitest'
import { createEmulator } from '../../../src/index.js'
import { BASE_MODEL, clientOf } from '../../support/api-client.js'
import { graphql } from '../../support/graphql.js'
import { openRun, streamRun } from '../../support/platform-client.js'
import { jobsWith } from '../../support/job-timelines.js'

it('a trace leaves out the middle of equal refusals, and shows one that differs', async () => {
  const emulator = createEmulator({
    scenario: { name: 'down', faults: [{ fault: 'status', status: 503, calls: { to: 18 } }] },
  })
  const api = clientOf(emulator)
  for (let call = 0; call < 18; call++) await api.post('/preview/models', {})
  await api.post('/preview/models', {})
  const calls = emulator.trace().match(/(?:… \d+ more like )?POST \/v1\/preview\/models \d+/g)
  const refused = 'POST /v1/preview/models 503'
  const around = [refused, refused]
  expect(calls!.slice(-6)).toEqual([
    ...around,
    `… 14 more like ${refused}`,
    ...around,
    'POST /v1/preview/models 422',
  ])
})

it('a trace says until when a line stands for others, because lines below may be earlier', async () => {
  const emulator = createEmulator({ clock: 'manual' })
  const { id } = await emulator.models.create({ name: 'poet' })
  const api = clientOf(emulator)
  for (let call = 0; call < 8; call++) {
    await api.get(`/preview/models/${id}/checkpoints`)
    emulator.clock.advance('1s')
  }
  const call = `GET /v1/preview/models/${id}/checkpoints`
  expect(emulator.trace()).toContain(`+2.00s  … 4 more like ${call} 200, until +5.00s`)
})

it.each([
  ['without a project', {}],
  ['of a project, whose sum grows', { headers: { 'service-project': 'team/a' } }],
])('a trace leaves out the middle of chats that one model answered, %s', async (_, options) => {
  const emulator = createEmulator()
  const { inference } = clientOf(emulator)
  const messages = [{ role: 'user', content: 'Tell me.' }]
  const ask = (model: string, most: number) => {
    return inference.post('/chat/completions', { model, messages, max_tokens: most }, options)
  }
  for (let most = 1; most <= 8; most++) await ask(BASE_MODEL, most)
  await ask('local-team/other', 1)
  const [, happened] = emulator.trace().split('What happened')
  const chats = happened!.split('\n').filter((line) => line.includes('/chat/completions'))
  expect(chats.map((line) => /… \d+ more|with \d+ token|\b404\b/.exec(line)?.[0])).toEqual([
    'with 1 token',
    'with 2 token',
    '… 4 more',
    'with 7 token',
    'with 8 token',
    '404',
  ])
  expect(chats[2]).toContain(`answered as ${BASE_MODEL}`)
})

it('a trace shows each step whose loss is no number', async () => {
  const jobs = jobsWith({ count: 12, spoil: [{ metric: 'loss', at: 6, with: 'NaN' }] })
  const emulator = createEmulator({ clock: 'instant', scenario: { name: 'x', jobs } })
  await emulator.jobs.start({ model: 'poet' })
  const steps = emulator.trace().match(/(?:… \d+ more like .*)?step \d+ of \d+, loss \S+/g)
  expect(steps!.filter((step) => step.includes('NaN'))).toEqual([
    expect.stringMatching(/^step 6 of \d+, loss NaN/),
  ])
})

it('a trace shows a query that failed, and a run that failed, between those that say nothing', async () => {
  const emulator = createEmulator()
  const api = { emulator, fetch: emulator.fetch }
  const look = () => graphql(api, 'query Viewer { viewer { id } }')
  for (const name of ['good', 'bad']) await openRun(api, { name })
  for (let call = 0; call < 6; call++) await look()
  await graphql(api, 'query Broken { viewer { nothing } }')
  for (let call = 0; call < 6; call++) await streamRun(api, 'good', { rows: [{ _step: 0 }] })
  await streamRun(api, 'bad', { exitCode: 1 })
  for (let call = 0; call < 6; call++) await look()
  const trace = emulator.trace()
  expect(trace).toMatch(/… \d+ more calls for runs and artifacts/)
  expect(trace).toContain('POST /graphql Broken 200; Cannot query field')
  expect(trace).toContain('the run local-team/verse/bad is failed')
})
