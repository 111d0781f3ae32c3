import { describe, expect, it } from 'vitest'
import type { ScenarioInput } from '../../../../src/index.js'
import { createModel, startJob } from '../../../support/trainer.js'
import {
  describeInProcess,
  describeTransports,
  type Api,
  type Open,
} from '../../../support/transports.js'

type Fault = NonNullable<ScenarioInput['faults']>[number]

/** Six events and six checkpoints, read two at a time, the fault at the second page. */
async function pages(open: Open, fault: Omit<Fault, 'calls' | 'match'>, most = 6) {
  const faults = [
    { calls: 2, match: { operation: 'listTrainingJobEvents' }, ...fault },
    { calls: 2, match: { operation: 'listCheckpoints' }, ...fault },
  ] as Fault[]
  const timeline = Array.from({ length: 5 }, (_, index) => {
    return { at: `${index + 1}s`, do: 'add_checkpoint' as const }
  })
  const api = await open({ scenario: { name: 'x', faults, timeline } })
  const { id } = await createModel(api)
  api.emulator.clock.advance('10s')
  const job = await startJob(api, id)
  const { clock } = api.emulator
  if (fault.fault !== 'page_arrivals') clock.advance('20s')
  else clock.advance('3s')
  return {
    events: await walk(api, `/preview/training-jobs/${job}/events?limit=2`, { key: 'type', most }),
    steps: await walk(api, `/preview/models/${id}/checkpoints?limit=2`, { key: 'step', most }),
  }
}

async function walk(api: Api, path: string, { key, most }: { key: string; most: number }) {
  const found: unknown[] = []
  let after = ''
  for (let page = 0; page < most; page++) {
    const { status, body } = await api.get(after === '' ? path : `${path}&after=${after}`)
    if (status !== 200) return [...found, status]
    found.push(body.data.map((item: Record<string, unknown>) => item[key]))
    if (!body.has_more) return found
    after = body.data.at(-1)?.id ?? after
  }
  return [...found, 'more']
}

const [S, G, E] = ['training_started', 'gradient_step', 'training_ended']

describeInProcess('page faults of a cursor', (open) => {
  it.each(['page_overlap', 'page_restart', 'page_repeat', 'page_stale'] as const)(
    '%s changes nothing of a list that is read from its beginning, and says so',
    async (fault) => {
      const api = await open({ scenario: { name: 'x', faults: [{ fault }] } })
      const { id } = await createModel(api)
      await api.get(`/preview/models/${id}/checkpoints?after=`)
      expect(api.emulator.trace()).not.toContain(fault)
      expect(() => api.emulator.assertNothingPending()).toThrow(`fault 1 (${fault})`)
    },
  )
})

describe('page faults', () => {
  describeTransports('by name', (open) => {
    it('page_overlap: a page begins with the last item of the one before', async () => {
      const { events, steps } = await pages(open, { fault: 'page_overlap' })
      expect(events).toEqual([[S, G], [G, G], [G, G], [E]])
      expect(steps).toEqual([
        [0, 1],
        [1, 2],
        [3, 4],
        [5, 6],
      ])
    })

    it('page_restart: a page begins from the top', async () => {
      const { events, steps } = await pages(open, { fault: 'page_restart' })
      expect(events).toEqual([
        [S, G],
        [S, G],
        [G, G],
        [G, E],
      ])
      expect(steps.slice(0, 3)).toEqual([
        [0, 1],
        [0, 1],
        [2, 3],
      ])
    })

    it('page_empty: a page has no items, and has_more', async () => {
      const { steps } = await pages(open, { fault: 'page_empty' })
      expect(steps.slice(0, 3)).toEqual([[0, 1], [], [2, 3]])
    })

    it('page_repeat: the page that ended with the cursor is sent again', async () => {
      const { events, steps } = await pages(open, { fault: 'page_repeat' })
      expect(events.slice(0, 2)).toEqual([
        [S, G],
        [S, G],
      ])
      expect(steps.slice(0, 2)).toEqual([
        [0, 1],
        [0, 1],
      ])
    })

    it('page_stale: the cursor is refused', async () => {
      const { events, steps } = await pages(open, { fault: 'page_stale' })
      expect(events).toEqual([[S, G], 404])
      expect(steps).toEqual([[0, 1], 404])
    })

    it('page_limit: no page has more items than the limit', async () => {
      const { events, steps } = await pages(open, { fault: 'page_limit', limit: 1 } as Fault)
      expect(events).toEqual([[S, G], [G], [G, G], [E]])
      expect(steps).toEqual([[0, 1], [2], [3, 4], [5, 6]])
    })

    it('page_limit: time does not pass before a client has seen what happened', async () => {
      const timeline = [
        { event: 'training_started' as const },
        { event: 'gradient_step' as const, count: 1 },
        { event: 'pause' as const, for: '1h' },
        { event: 'training_ended' as const },
      ]
      const faults: Fault[] = [{ fault: 'page_limit', limit: 1 }]
      const scenario = { name: 'x', faults, jobs: [{ timeline }] }
      const api = await open({ scenario, clock: 'auto' })
      const job = await startJob(api, (await createModel(api)).id)
      const start = api.emulator.clock.now()
      const path = `/preview/training-jobs/${job}/events?limit=100`
      expect(await walk(api, path, { key: 'type', most: 6 })).toEqual([[S], [G]])
      expect(api.emulator.clock.now() - start).toBeLessThan(3_600_000)
    })

    it('page_arrivals: items arrive after a page', async () => {
      const { events, steps } = await pages(open, { fault: 'page_arrivals', items: 3 } as Fault)
      // Three events were there; three more came after the second page, which said that it was the last.
      expect(events).toEqual([[S, G], [G]])
      expect(steps).toEqual([
        [0, 1],
        [2, 3],
        [4, 5],
        [6, 7],
        [8, 9],
      ])
    })
  })
})
