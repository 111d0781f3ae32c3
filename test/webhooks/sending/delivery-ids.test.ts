import { describe, expect, it } from 'vitest'
import type { Emulator, EmulatorOptions, ScenarioInput } from '../../../src/index.js'
import { openEmulator } from '../../emulator/open-emulator.js'
import { opened, sealed } from '../../support/snapshots.js'

const automations: ScenarioInput['automations'] = [
  { name: 'states', webhook: 'hook', event: 'RUN_STATE' },
  { name: 'versions', webhook: 'hook', event: 'CREATE_ARTIFACT' },
  { name: 'aliases', webhook: 'hook', event: 'ADD_ARTIFACT_ALIAS' },
  { name: 'tags', webhook: 'hook', event: 'ADD_ARTIFACT_TAG' },
  { name: 'links', webhook: 'hook', event: 'LINK_ARTIFACT' },
  {
    name: 'losses',
    webhook: 'hook',
    event: 'RUN_METRIC',
    metric: 'loss',
    is: 'above',
    threshold: 0,
  },
]

/** The same happens to a checkpoint before and after an hour. */
const scenario: ScenarioInput = {
  name: 'again',
  webhooks: [
    {
      name: 'hook',
      url: 'http://receiver.test/hook',
      adversary: [{ do: 'storm', deliveries: 3, times: 3 }],
    },
  ],
  automations,
  timeline: ['30m', '40m', '90m', '100m'].flatMap((at) => [
    { at, do: 'add_alias', alias: 'latest', step: 1, model: 'poet' },
    { at, do: 'add_alias', alias: 'best', step: 1, model: 'poet' },
    { at, do: 'add_tag', tag: 'good', step: 1, model: 'poet' },
    { at, do: 'link', registry: 'models', collection: 'poets', step: 1, model: 'poet' },
  ]),
}

function open(options: EmulatorOptions): Emulator {
  const send = () => Promise.resolve({ status: 200, body: '' })
  return openEmulator({ send, ...options })
}

async function hour(emulator: Emulator): Promise<void> {
  emulator.clock.advance('1h')
  await emulator.webhooks.idle()
}

async function firstHour(): Promise<Emulator> {
  const emulator = open({ scenario })
  await emulator.jobs.start({ model: (await emulator.models.create({ name: 'poet' })).name })
  await emulator.trigger('RUN_STATE', { state: 'failed' })
  await hour(emulator)
  return emulator
}

async function secondHour(emulator: Emulator): Promise<string[]> {
  await emulator.jobs.start({ model: 'poet' })
  await emulator.trigger('RUN_STATE', { state: 'failed' })
  await hour(emulator)
  return emulator.webhooks.deliveries.map(({ id }) => id)
}

describe('the ids of deliveries', () => {
  it('are different, also if the same happens again, with few records', async () => {
    const emulator = await firstHour()
    const ids = await secondHour(emulator)
    const types = emulator.webhooks.deliveries.map(({ event }) => event.type)
    expect(new Set(types)).toEqual(new Set(automations.map(({ event }) => event)))
    expect(new Set(ids).size).toBe(ids.length)
    // What never happens again needs no record.
    const { records } = await emulator.snapshot()
    const counts = (records as unknown as { key?: string }[]).flatMap(({ key = '' }) => {
      const [name, type] = key.split('\u001f')
      return key.startsWith('fired ') ? [`${name} ${type}`] : []
    })
    expect(counts.length).toBeLessThan(10)
    expect([...new Set(counts)]).toEqual([
      'fired aliases ADD_ARTIFACT_ALIAS',
      'fired tags ADD_ARTIFACT_TAG',
      'fired links LINK_ARTIFACT',
    ])
  })

  it('are those of a world that version 0.2 saved, which also counted what never happens again', async () => {
    const emulator = await firstHour()
    const { records, hidden } = opened(await emulator.snapshot())
    const states = emulator.webhooks.deliveries.filter(({ event }) => event.type === 'RUN_STATE')
    const fired = states.map(
      ({ automation, event }) => `${automation}\u001f${event.type}\u001f${event.key}`,
    )
    const once = [...new Set(fired)].map((about) => ({
      kind: 'outgoing',
      key: `fired ${about}`,
      kept: 1,
    }))
    expect(once).toHaveLength(3)
    const restored = open({ snapshot: sealed({ records: [...records, ...once], hidden }) })
    expect((await restored.snapshot()).records).toEqual(records)
    expect(await secondHour(restored)).toEqual(await secondHour(emulator))
  })
})
