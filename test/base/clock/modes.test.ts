import { describe, expect, it } from 'vitest'
import { describeTransports } from '../../support/transports.js'
import { createModel, groups, listEvents, startJob } from '../../support/trainer.js'
import { clientOf, withKey } from '../../support/api-client.js'

const inThreeParts = {
  name: 'three-parts',
  jobs: [
    {
      timeline: [
        { event: 'training_started' as const },
        { event: 'pause' as const, for: '1s' },
        { event: 'gradient_step' as const },
        { event: 'pause' as const, for: '1s' },
        { event: 'training_ended' as const },
      ],
    },
  ],
}

describe('the auto clock', () => {
  describeTransports('skips time for a client that polls', (open) => {
    it('and shows all events up to the next pause at each poll', async () => {
      const timeline = [
        { event: 'training_started' as const },
        { event: 'pause' as const, for: '1s' },
        { event: 'gradient_step' as const, count: 2 },
        { event: 'pause' as const, for: '0s' },
        { event: 'checkpoint' as const },
        { event: 'gradient_step' as const, count: 1 },
        { event: 'training_failed' as const, error_message: 'out of memory' },
      ]
      const scenario = { name: 'mine', jobs: [{ timeline }] }
      const api = await open({ clock: 'auto', scenario })
      const { id } = await createModel(api)
      const job = await startJob(api, id)
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
      const api = await open({ clock: 'auto', scenario: 'stalled-then-resumed' })
      const { id } = await createModel(api)
      const job = await startJob(api, id)
      const polls = [await listEvents(api, job), await listEvents(api, job)]
      expect(polls.map((events) => events.length)).toEqual([3, 6])
    })

    it('also after its world is restored, with the same bytes', async () => {
      const api = await open({ clock: 'auto', scenario: inThreeParts })
      const { id } = await createModel(api)
      const job = await startJob(api, id)
      for (const count of [1, 5, 6]) {
        expect(await listEvents(api, job)).toHaveLength(count)
        const saved = JSON.stringify(await api.emulator.snapshot())
        api.emulator.restore(JSON.parse(saved))
        expect(JSON.stringify(await api.emulator.snapshot())).toBe(saved)
        expect(await listEvents(api, job)).toHaveLength(count)
      }
    })

    it('page by page, with stable ids', async () => {
      const api = await open({ clock: 'auto' })
      const { id } = await createModel(api)
      const job = await startJob(api, id)
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

    it('if the client lists all events at every poll', async () => {
      const api = await open({ clock: 'auto', scenario: inThreeParts })
      const { id } = await createModel(api)
      const job = await startJob(api, id)
      const counts: number[] = []
      for (let poll = 0; poll < 4; poll++) counts.push((await listEvents(api, job)).length)
      expect(counts).toEqual([1, 5, 6, 6])
    })

    it('if the client polls the record of the job', async () => {
      const api = await open({ clock: 'auto' })
      const { id } = await createModel(api)
      const job = await startJob(api, id)
      const statuses: string[] = []
      for (let poll = 0; poll < 7; poll++) {
        statuses.push((await api.get(`/preview/training-jobs/${job}`)).body.status)
      }
      const running = Array.from({ length: 5 }, () => 'running')
      expect(statuses).toEqual([...running, 'ended', 'ended'])
    })

    it('through the earlier jobs of the model', async () => {
      const api = await open({ clock: 'auto' })
      const { id } = await createModel(api)
      const first = await startJob(api, id)
      const second = await startJob(api, id)
      expect(await listEvents(api, second)).toHaveLength(6)
      expect((await listEvents(api, first)).at(-1)!.type).toBe('training_ended')
    })

    it('and answers at once for a job that has stopped', async () => {
      const api = await open({ clock: 'auto', scenario: 'stuck-job' })
      const { id } = await createModel(api)
      const job = await startJob(api, id)
      const behind = await startJob(api, id)
      for (let poll = 0; poll < 5; poll++) await listEvents(api, job)
      expect(await listEvents(api, job)).toHaveLength(3)
      expect(await listEvents(api, behind)).toEqual([])
    })

    it('separately for each API key', async () => {
      const api = await open({ clock: 'auto', scenario: inThreeParts })
      const { id } = await createModel(api)
      const job = await startJob(api, id)
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
      const api = await open({ clock: 'instant', scenario: 'stuck-job' })
      const { id } = await createModel(api)
      const job = await startJob(api, id)
      expect(await listEvents(api, job)).toHaveLength(3)
    })
  })
})

describe('the real clock', () => {
  describeTransports('runs jobs by itself at its speed', (open) => {
    it('and a polling client sees each event once', async () => {
      const api = await open({ clock: 'real', speed: 1000 })
      const { id } = await createModel(api)
      const job = await startJob(api, id)
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

describe('two emulators', () => {
  it('share nothing, and create the same ids for the same requests', async () => {
    const { createEmulator } = await import('../../../src/index.js')
    const emulators = [createEmulator(), createEmulator(), createEmulator({ seed: 2 })]
    const ids = await Promise.all(
      emulators.map(async (emulator) => {
        return (await createModel(clientOf(emulator))).id
      }),
    )
    expect(ids[0]).toBe(ids[1])
    expect(ids[0]).not.toBe(ids[2])
  })

  describeTransports('a reset', (open) => {
    it('removes all state and all scheduled tasks', async () => {
      const api = await open()
      const { id } = await createModel(api)
      const job = await startJob(api, id)
      api.emulator.clock.advance(1500)
      api.emulator.reset()
      expect(api.emulator.clock.pending).toBe(0)
      expect((await api.get(`/preview/training-jobs/${job}`)).status).toBe(404)
      expect((await createModel(api)).id).toBe(id)
      expect(await startJob(api, id)).toBe(job)
    })
  })
})
