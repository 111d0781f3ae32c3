import { describe, expect, it } from 'vitest'
import type { EmulatorOptions, ScenarioInput } from '../../../src/index.js'
import { describeTransports, type Open } from '../../support/transports.js'
import { createModel, groups, listEvents, startJob } from '../../support/trainer.js'
import { withKey } from '../../support/api-client.js'

type Timeline = NonNullable<NonNullable<ScenarioInput['jobs']>[number]['timeline']>

function withTimeline(...timeline: Timeline): ScenarioInput {
  return { name: 'mine', jobs: [{ timeline }] }
}

const inThreeParts = withTimeline(
  { event: 'training_started' },
  { event: 'pause', for: '1s' },
  { event: 'gradient_step' },
  { event: 'pause', for: '1s' },
  { event: 'training_ended' },
)

/** Opens an emulator with a job that runs. */
async function withJob(open: Open, options: EmulatorOptions) {
  const api = await open(options)
  const { id } = await createModel(api)
  return { api, id, job: await startJob(api, id) }
}

describe('the auto clock', () => {
  describeTransports('skips time for a client that polls', (open) => {
    it('and shows all events up to the next pause at each poll', async () => {
      const scenario = withTimeline(
        { event: 'training_started' },
        { event: 'pause', for: '1s' },
        { event: 'gradient_step', count: 2 },
        { event: 'pause', for: '0s' },
        { event: 'checkpoint' },
        { event: 'gradient_step', count: 1 },
        { event: 'training_failed', error_message: 'out of memory' },
      )
      const { api, job } = await withJob(open, { clock: 'auto', scenario })
      const polls: string[][] = []
      let after: string | undefined
      while (polls.at(-1)?.at(-1) !== 'training_failed') {
        const events = await listEvents(api, job, after)
        polls.push(events.map(({ type }) => type))
        after = events.at(-1)!.id
      }
      expect(polls).toEqual([
        ['training_started'],
        ['gradient_step', 'gradient_step'],
        ['gradient_step', 'training_failed'],
      ])
      expect(await listEvents(api, job, after)).toEqual([])
    })

    it('up to a stall, and on when the scenario resumes the job', async () => {
      const { api, job } = await withJob(open, { clock: 'auto', scenario: 'stalled-then-resumed' })
      const polls = [await listEvents(api, job), await listEvents(api, job)]
      expect(polls.map((events) => events.length)).toEqual([3, 6])
    })

    it('if the client lists all events at every poll, also after its world is restored', async () => {
      const { api, job } = await withJob(open, { clock: 'auto', scenario: inThreeParts })
      for (const count of [1, 5, 6]) {
        expect(await listEvents(api, job)).toHaveLength(count)
        const saved = JSON.stringify(await api.emulator.snapshot())
        api.emulator.restore(JSON.parse(saved))
        expect(JSON.stringify(await api.emulator.snapshot())).toBe(saved)
        expect(await listEvents(api, job)).toHaveLength(count)
      }
    })

    it('page by page, with stable ids', async () => {
      const { api, job } = await withJob(open, { clock: 'auto' })
      const ids: string[] = []
      const more: boolean[] = []
      while (more.at(-1) !== false) {
        const cursor = ids.length === 0 ? '' : `&after=${ids.at(-1)}`
        const path = `/preview/training-jobs/${job}/events?limit=2${cursor}`
        const { body } = await api.get(path)
        ids.push(...body.data.map((event: { id: string }) => event.id))
        more.push(body.has_more)
      }
      expect(more).toEqual([true, true, false])
      expect((await listEvents(api, job)).map((event) => event.id)).toEqual(ids)
    })

    it('if the client polls the record of the job', async () => {
      const { api, job } = await withJob(open, { clock: 'auto' })
      const statuses: string[] = []
      for (let poll = 0; poll < 7; poll++) {
        statuses.push((await api.get(`/preview/training-jobs/${job}`)).body.status)
      }
      const running = Array.from({ length: 5 }, () => 'running')
      expect(statuses).toEqual([...running, 'ended', 'ended'])
    })

    it('through the earlier jobs of the model', async () => {
      const { api, id, job: first } = await withJob(open, { clock: 'auto' })
      const second = await startJob(api, id)
      expect(await listEvents(api, second)).toHaveLength(6)
      expect((await listEvents(api, first)).at(-1)!.type).toBe('training_ended')
    })

    it('and answers at once for a job that has stopped', async () => {
      const { api, id, job } = await withJob(open, { clock: 'auto', scenario: 'stuck-job' })
      const behind = await startJob(api, id)
      for (let poll = 0; poll < 5; poll++) await listEvents(api, job)
      expect(await listEvents(api, job)).toHaveLength(3)
      expect(await listEvents(api, behind)).toEqual([])
    })

    it('separately for each API key', async () => {
      const { api, job } = await withJob(open, { clock: 'auto', scenario: inThreeParts })
      expect(await listEvents(api, job)).toHaveLength(1)
      const events = `/preview/training-jobs/${job}/events`
      expect((await api.get(events, withKey('another'))).body.data).toHaveLength(1)
      expect((await api.get(events, withKey('another'))).body.data).toHaveLength(5)
      expect(await listEvents(api, job)).toHaveLength(5)
    })
  })
})

describe('the instant clock', () => {
  describeTransports('runs a job before its creation is answered', (open) => {
    it('and the record and all events show the end', async () => {
      const api = await open({ clock: 'instant' })
      const { id } = await createModel(api)
      const { body } = await api.post('/preview/training-jobs', {
        model_id: id,
        trajectory_groups: groups,
      })
      expect(body.status).toBe('ended')
      expect(await listEvents(api, body.id)).toHaveLength(6)
    })

    it('up to its stall if it stalls', async () => {
      const { api, job } = await withJob(open, { clock: 'instant', scenario: 'stuck-job' })
      expect(await listEvents(api, job)).toHaveLength(3)
    })
  })
})

describe('the real clock', () => {
  describeTransports('runs jobs by itself at its speed', (open) => {
    it('and a polling client sees each event once', async () => {
      const { api, job } = await withJob(open, { clock: 'real', speed: 1000 })
      const seen: string[] = []
      let after: string | undefined
      while (seen.at(-1) !== 'training_ended') {
        for (const event of await listEvents(api, job, after)) {
          seen.push(event.type)
          after = event.id
        }
      }
      expect(seen).toHaveLength(6)
    })
  })
})
