import { describe, expect, it } from 'vitest'
import { createEmulator, mergeCoverage, type CoverageReport } from '../../../src/index.js'
import { catalog } from '../../../src/emulator/coverage/catalog.js'
import { coverageDetails, coverageSummary } from '../../../src/emulator/coverage/format.js'
import type { AdversaryRule } from '../../../src/service/scenario/scenario.js'
import { clientOf } from '../../support/api-client.js'
import { chat, createModel, listEvents, startJob, submit } from '../../support/trainer.js'
import { controlled } from '../control/control.js'
import { describeTransports } from '../../support/transports.js'

/** The ids of what was met, and how often. */
function metIn({ groups }: CoverageReport): Record<string, number> {
  const behaviors = groups.flatMap((group) => group.behaviors)
  const met = behaviors.filter(({ count }) => count > 0)
  return Object.fromEntries(met.map(({ id, count }) => [id, count]))
}

describeTransports('the coverage of a client', (open) => {
  it('has operations, jobs and events that the client saw', async () => {
    const api = await open({ scenario: 'failing-job' })
    const { id } = await createModel(api, 'poet')
    const job = await startJob(api, id)
    await listEvents(api, job)
    api.emulator.clock.advance('1m')
    await listEvents(api, job)
    const report = await api.emulator.coverage()
    expect(metIn(report)).toEqual({
      'createModel/success': 1,
      'createRlTrainingJob/success': 1,
      'listTrainingJobEvents/success': 2,
      'events/training_started': 1,
      'events/gradient_step': 1,
      'events/training_failed': 1,
      'jobs/rl/failed': 1,
    })
    expect(report).toMatchObject({ met: 7, used: 3 })
    const unused = report.unused.map(({ name }) => name)
    expect(unused).toContain('deleteModel')
    expect(unused).toContain('SFT jobs')
  })

  it('has what went wrong with calls', async () => {
    const api = await open()
    const { faults } = api.emulator
    const models = (): Promise<unknown> => createModel(api, 'poet').catch(() => 'lost')
    faults.add({ fault: 'status', status: 504, stage: 'after', calls: 1 })
    await models()
    faults.clear()
    faults.add({ fault: 'drop', stage: 'after', calls: 1 })
    await models()
    faults.clear()
    faults.add({ fault: 'drop', stage: 'mid_body', calls: 1 })
    await models()
    faults.clear()
    faults.add({ fault: 'malformed', form: 'html', calls: 1 })
    await models()
    const { 'createModel/409': conflicts, ...met } = metIn(await api.emulator.coverage())
    // Some transports repeat a call whose connection was lost.
    expect(conflicts ?? 0).toBeGreaterThanOrEqual(0)
    expect(met).toMatchObject({
      'createModel/504': 1,
      'createModel/errorAfterWork': 1,
      'createModel/lostAfterWork': 1,
      'createModel/halfClosed': 1,
      'createModel/malformed': 1,
    })
    expect(met).not.toHaveProperty('createModel/success')
  })

  it('has streams that end, and streams that are cut off', async () => {
    const api = await open()
    await chat(api.inference, 'Hello', { stream: true })
    api.emulator.faults.add({ fault: 'drop', stage: 'mid_body', calls: 1 })
    await chat(api.inference, 'Hello', { stream: true }).catch(() => 'cut')
    expect(metIn(await api.emulator.coverage())).toMatchObject({
      'streams/whole': 1,
      'streams/cut': 1,
    })
  })
})

describe('emulator.coverage()', () => {
  it('counts on after a reset, and after the journal has dropped entries', async () => {
    const step = { event: 'gradient_step', count: 10_000, every: '1s' } as const
    const timeline = [{ event: 'training_started' } as const, step, { event: 'never' } as const]
    const scenario = { name: 'x', jobs: [{ timeline }] }
    const emulator = createEmulator({ scenario, clock: 'manual' })
    const client = clientOf(emulator)
    for (let calls = 0; calls < 8; calls++) await client.get('/preview/base-models')
    await emulator.jobs.start()
    emulator.clock.advance('3h')
    expect(emulator.journal.entries.filter(({ kind }) => kind === 'request')).toEqual([])
    emulator.reset('failing-job')
    await client.get('/preview/base-models')
    const { uses, groups } = await emulator.coverage()
    expect(uses).toEqual({ listBaseModels: { calls: 9, most: 8, bursts: 5 } })
    expect(groups[0]).toMatchObject({ name: 'listBaseModels', met: 1 })
    await emulator.close()
  })

  it('adds up the worlds of all keys', async () => {
    const emulator = createEmulator({ isolate: 'api-key' })
    for (const key of ['one', 'other']) await submit(emulator, 'poet', key)
    const report = await emulator.coverage()
    expect(metIn(report)['createRlTrainingJob/success']).toBe(2)
    expect(await emulator.world('one').coverage()).toEqual(report)
    await emulator.close()
  })

  it('counts each job once, however often the client reads it', async () => {
    const emulator = createEmulator()
    const job = await submit(emulator)
    for (let read = 0; read < 20; read++) {
      await clientOf(emulator).get(`/preview/training-jobs/${job}`)
    }
    expect(metIn(await emulator.coverage())['jobs/rl/ended']).toBe(1)
  })

  it('counts a job that only a webhook reported', async () => {
    const send = () => Promise.resolve({ status: 200, body: '' })
    const receiver = { url: 'http://127.0.0.1:9/hook', secret: 's3cret' }
    const emulator = createEmulator({ clock: 'manual', webhooks: [receiver], send })
    await submit(emulator)
    emulator.clock.advance('1m')
    await emulator.webhooks.idle()
    expect(metIn(await emulator.coverage())).toMatchObject({
      'jobs/rl/ended': 1,
      'webhooks/RUN_STATE': 2,
      'webhooks/CREATE_ARTIFACT': 1,
    })
  })

  it('counts an old secret only if a delivery was signed with one', async () => {
    const met = async (adversary: AdversaryRule[]): Promise<string[]> => {
      const send = () => Promise.resolve({ status: 200, body: '' })
      const emulator = createEmulator({
        clock: 'manual',
        send,
        scenario: {
          name: 'rotated',
          secrets: { NEW: 'new', OLD: 'old' },
          webhooks: [{ name: 'hook', url: 'http://127.0.0.1:9/', secret: 'NEW', adversary }],
          automations: [{ name: 'all', webhook: 'hook', event: 'RUN_STATE' }],
        },
      })
      await emulator.trigger('RUN_STATE', { state: 'finished' })
      await emulator.webhooks.idle()
      const ids = Object.keys(metIn(await emulator.coverage()))
      await emulator.close()
      return ids.filter((id) => id.startsWith('webhooks/')).sort()
    }
    expect(await met([])).toEqual(['webhooks/RUN_STATE', 'webhooks/acknowledged'])
    expect(await met([{ do: 'old_secret', secret: 'OLD' }])).toEqual([
      'webhooks/RUN_STATE',
      'webhooks/acknowledged',
      'webhooks/old_secret',
    ])
  })

  it('suggests a rate limit only to a client that calls often enough to meet it', async () => {
    const emulator = createEmulator({ clock: 'manual' })
    const suggested = async (): Promise<string | undefined> => {
      const { groups } = await emulator.coverage()
      const behaviors = groups.flatMap((group) => group.behaviors)
      return behaviors.find(({ id }) => id === 'createRlTrainingJob/429')?.suggestion?.text
    }
    await submit(emulator)
    expect(await suggested()).toBe(
      'faults: [{ fault: status, status: 429, retry_after: 2s, match: { operation: createRlTrainingJob }, calls: 1 }]',
    )
    await submit(emulator)
    expect(await suggested()).toBe('rate-limited')
    emulator.reset('rate-limited')
    await submit(emulator)
    await submit(emulator)
    expect(metIn(await emulator.coverage())['createRlTrainingJob/429']).toBe(1)
  })

  it('is empty before the first call, and says so', async () => {
    const report = await createEmulator().coverage()
    expect(report).toMatchObject({ met: 0, total: 0, used: 0, groups: [], uses: {} })
    expect(coverageSummary(report)).toEqual([
      'Coverage of the service: no client called an operation.',
    ])
  })

  it('names the parts that no client used, also the pages of lists', async () => {
    const emulator = createEmulator()
    await clientOf(emulator).get('/preview/base-models')
    const { unused } = await emulator.coverage()
    expect(unused.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['createModel', 'RL jobs', 'pages of listCheckpoints', 'webhooks']),
    )
  })
})

describe('mergeCoverage', () => {
  it('adds up reports', async () => {
    const [one, other] = [createEmulator(), createEmulator({ scenario: 'flaky-gateway' })]
    await submit(one)
    await clientOf(other).get('/preview/base-models')
    const merged = mergeCoverage([await one.coverage(), await other.coverage()])
    expect(metIn(merged)).toEqual({
      'createModel/success': 1,
      'createRlTrainingJob/success': 1,
      'listBaseModels/503': 1,
    })
    expect(mergeCoverage([merged])).toEqual(merged)
    expect(mergeCoverage([merged, merged]).uses.createModel?.calls).toBe(2)
  })

  it('refuses other values', () => {
    expect(() => mergeCoverage([{} as CoverageReport])).toThrow('This is not a coverage report')
  })
})

describe('a formatted report', () => {
  it('names a scenario for each gap', async () => {
    const emulator = createEmulator({ clock: 'manual' })
    await submit(emulator)
    await submit(emulator)
    const report = await emulator.coverage()
    expect(coverageSummary(report)[0]).toBe(
      `Coverage of the service: 2 of ${report.total} behaviors met, 2 of ${report.operations} operations used.`,
    )
    expect(coverageSummary(report)[1]).toMatch(/^Met means that an answer, or a delivery /)
    expect(coverageSummary(report).join('\n')).toContain(
      '  never saw 429 Too Many Requests on createRlTrainingJob: try rate-limited',
    )
    const details = coverageDetails(report).join('\n')
    expect(details).toContain('  met success (2)\n')
    expect(details).toContain('  never saw 429 Too Many Requests: try rate-limited\n')
    const { behaviors } = catalog.find(({ name }) => name === 'deleteModel')!
    expect(details).toContain(`  deleteModel (${behaviors.length} behaviors)\n`)
  })
})

describe('GET /_emulator/coverage', () => {
  it('returns the report as JSON and as text', async () => {
    const { emulator, client } = controlled()
    await submit(emulator)
    expect(await client.coverage()).toEqual(await emulator.coverage())
    const text = async (format: string): Promise<string> => {
      const url = new URL(`/_emulator/coverage?format=${format}`, emulator.trainingUrl)
      return (await emulator.fetch(url)).text()
    }
    expect(await text('text')).toBe(`${coverageSummary(await emulator.coverage()).join('\n')}\n`)
    expect(await text('gaps')).toContain('  never saw 503 Service Unavailable: try flaky-gateway\n')
  })
})
