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

/** What some faults need besides their name. */
const options: Record<string, object> = { page_limit: { limit: 1 }, page_arrivals: { items: 3 } }

/** Six events and six checkpoints, read two at a time, the fault at the second page. */
async function pages(open: Open, fault: string) {
  const faults = ['listTrainingJobEvents', 'listCheckpoints'].map((operation) => {
    return { fault, calls: 2, match: { operation }, ...options[fault] }
  }) as Fault[]
  const timeline = Array.from({ length: 5 }, (_, index) => {
    return { at: `${index + 1}s`, do: 'add_checkpoint' as const }
  })
  const api = await open({ scenario: { name: 'x', faults, timeline } })
  const { id } = await createModel(api)
  api.emulator.clock.advance('10s')
  const job = await startJob(api, id)
  api.emulator.clock.advance(fault === 'page_arrivals' ? '3s' : '20s')
  return {
    events: await walk(api, `/preview/training-jobs/${job}/events?limit=2`),
    steps: await walk(api, `/preview/models/${id}/checkpoints?limit=2`),
  }
}

/** Reads at most six pages. Returns their items, and the status of a refusal. */
async function walk(api: Api, path: string): Promise<string> {
  const found: string[] = []
  let after = ''
  for (let page = 0; page < 6; page++) {
    const { status, body } = await api.get(after === '' ? path : `${path}&after=${after}`)
    if (status !== 200) return [...found, status].join(', ')
    const items: { type?: string; step: number }[] = body.data
    found.push(items.map(({ type, step }) => type?.split('_')[1] ?? step).join(' '))
    if (!body.has_more) break
    after = body.data.at(-1)?.id ?? after
  }
  return found.join(', ')
}

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
    it.each([
      [
        'page_overlap',
        'a page begins with the last item of the one before',
        'started step, step step, step step, ended',
        '0 1, 1 2, 3 4, 5 6',
      ],
      [
        'page_restart',
        'a page begins from the top',
        'started step, started step, step step, step ended',
        '0 1, 0 1, 2 3',
      ],
      ['page_empty', 'a page has no items, and has_more', 'started step, ', '0 1, , 2 3'],
      [
        'page_repeat',
        'the page that ended with the cursor is sent again',
        'started step, started step',
        '0 1, 0 1',
      ],
      ['page_stale', 'the cursor is refused', 'started step, 404', '0 1, 404'],
      [
        'page_limit',
        'no page has more items than the limit',
        'started step, step, step step, ended',
        '0 1, 2, 3 4, 5 6',
      ],
      // Three events were there; three more came after the second page, which said that it was the last.
      [
        'page_arrivals',
        'items arrive after a page',
        'started step, step',
        '0 1, 2 3, 4 5, 6 7, 8 9',
      ],
    ])('%s: %s', async (fault, _what, events, steps) => {
      const seen = await pages(open, fault)
      expect(seen.events.slice(0, events.length)).toBe(events)
      expect(seen.steps.slice(0, steps.length)).toBe(steps)
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
      expect(await walk(api, path)).toBe('started, step')
      expect(api.emulator.clock.now() - start).toBeLessThan(3_600_000)
    })
  })
})
