import { expect, it } from 'vitest'
import { Automation } from '../../../src/webhooks/sending/automation.js'
import { Expressions } from '../../../src/webhooks/sending/expressions.js'
import type { WebhookEvent } from '../../../src/webhooks/sending/event.js'
import { savedEntries } from '../../../src/webhooks/sending/restored-webhooks.js'

const DAY = 86_400_000

const rule = {
  name: 'once',
  webhook: 'hook',
  event: 'RUN_STATE',
  states: ['finished'],
  run: {},
  scope: {},
  once_per_run_per_day: true,
} as const

/** An automation, and what sends it the end of a run. */
function opened() {
  const automation = new Automation(rule as never, new Expressions())
  const fires = (id: string, at: number): boolean => {
    const run = { id, name: id, state: 'finished' }
    const event = { type: rule.event, entity: 'team', project: 'verse', run, at }
    return automation.fires(event as unknown as WebhookEvent) !== undefined
  }
  return { automation, fires }
}

it('lists its runs in the same order once they are restored in the order of a log', () => {
  const { automation, fires } = opened()
  fires('b', 0)
  fires('a', 0)
  fires('c', DAY)
  fires('b', DAY)
  const { automation: restored } = opened()
  // A log has a run where it first came, with what came last.
  for (const run of ['b', 'a', 'c']) restored.restore(run, automation.memoryOf(run)!)
  expect([...automation.runs]).toEqual(['a', 'b', 'c'])
  expect([...restored.runs]).toEqual(['a', 'b', 'c'])
})

it('forgets the runs that fired first once it knows 25,000, and not those that fire again', () => {
  const { automation, fires } = opened()
  for (let run = 0; run < 25_000; run++) expect(fires(`run-${run}`, 0)).toBe(true)
  expect(fires('run-1', 0)).toBe(false)
  expect(fires('run-1', DAY)).toBe(true)
  expect(fires('new', DAY)).toBe(true)
  expect([...automation.runs]).toHaveLength(20_000)
  expect(automation.memoryOf('run-0')).toBeUndefined()
  expect(automation.memoryOf('run-1')).toMatchObject({ firedAt: DAY })
})

it('is restored for a run whose id has the character that stands between the names of a key', () => {
  const record = { kind: 'outgoing', key: 'automation once\u001frun\u001fodd', kept: {} }
  const [entry] = savedEntries({ records: [record] } as never)
  expect(entry).toMatchObject({ kind: 'automation', name: 'once', run: 'run\u001fodd' })
})
