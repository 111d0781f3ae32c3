import { describe, expect, it } from 'vitest'
import { createClient } from '../../src/client.js'
import { createEmulator, defineScenario, type Emulator } from '../../src/index.js'
import { caller, controlled } from './control/control.js'
import { describeTransports } from '../support/transports.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { openEmulator } from './open-emulator.js'

const poet = { project: 'demo', name: 'poet', base_model: 'example/base-8b-instruct' }

type Reset = (scenario?: string) => Promise<void>

describeTransports('a reset', (opened) => {
  const ways = {
    'in JavaScript': (emulator: Emulator): Reset => {
      return async (scenario) => emulator.reset(scenario)
    },
    'over HTTP': (emulator: Emulator, send: typeof fetch): Reset => {
      const call = caller(emulator, send)
      return async (scenario) => {
        expect((await call('POST /reset', { scenario })).status).toBe(200)
      }
    },
    'by the client': (emulator: Emulator, send: typeof fetch): Reset => {
      const client = createClient({ url: emulator.trainingUrl, fetch: send })
      return async (scenario) => void (await client.reset(scenario))
    },
  }

  it.each(Object.entries(ways))(
    'returns to the scenario, seed and clock of the creation: %s',
    async (_way, by) => {
      const { emulator, fetch: send, post } = await opened({ scenario: 'failing-job', seed: 7 })
      const reset = by(emulator, send)
      const first = await post('/preview/models', poet)
      await reset('happy-path')
      expect(emulator.scenario.name).toBe('happy-path')
      expect((await post('/preview/models', poet)).body).toEqual(first.body)
      emulator.useClock('instant')
      await reset()
      expect(emulator.scenario.name).toBe('failing-job')
      expect([emulator.seed, emulator.clock.mode]).toEqual([7, 'manual'])
      expect((await post('/preview/models', poet)).body).toEqual(first.body)
    },
  )
})

describe('a reset', () => {
  it('returns to your own scenario, with its functions', async () => {
    const match = () => true
    const mine = defineScenario({
      name: 'mine',
      jobs: [{ match, timeline: [{ event: 'training_started' }, { event: 'training_ended' }] }],
    })
    const emulator = openEmulator({ scenario: mine })
    const own = emulator.scenario
    expect(own.jobs).toMatchObject([{ match: expect.any(Function) }])
    emulator.reset('failing-job')
    emulator.reset()
    expect(emulator.scenario).toEqual(own)
  })

  it('returns to that scenario after a change of the scenario or a restored snapshot', async () => {
    const { emulator, call } = controlled({ scenario: 'failing-job', seed: 7 })
    await call('POST /scenario', { name: 'sft' })
    expect(emulator.scenario.name).toBe('sft')
    emulator.reset()
    expect(emulator.scenario.name).toBe('failing-job')

    await call('POST /scenario', { name: 'sft', reset: true })
    expect(emulator.scenario.name).toBe('sft')
    emulator.reset()
    expect(emulator.scenario.name).toBe('failing-job')

    emulator.restore(await openEmulator({ scenario: 'sft', seed: 9 }).snapshot())
    expect([emulator.scenario.name, emulator.seed]).toEqual(['sft', 9])
    emulator.reset()
    expect([emulator.scenario.name, emulator.seed]).toEqual(['failing-job', 7])
  })

  it('accepts the same body as the scenario call', async () => {
    const { emulator, call } = controlled()
    const bodies = [
      { scenario: 'failing-job' },
      { name: 'failing-job' },
      { scenario: { name: 'failing-job', extends: 'sft' } },
    ]
    for (const body of bodies) {
      for (const line of ['POST /reset', 'POST /scenario']) {
        emulator.reset()
        expect(await call(line, body)).toMatchObject({ status: 200 })
        expect(emulator.scenario.name).toBe('failing-job')
      }
    }
    const both = { name: 'sft', scenario: 'failing-job' }
    expect(await call('POST /reset', both)).toMatchObject({
      status: 400,
      body: { detail: expect.stringMatching(/^Pass either "name"/) },
    })
  })

  it('of the world of one key returns to the scenario of the emulator', async () => {
    const emulator = openEmulator({ isolate: 'api-key', scenario: 'failing-job', seed: 7 })
    const names = (): string[] =>
      [emulator, emulator.world('one'), emulator.world('two')].map(({ scenario }) => scenario.name)
    const [one] = [emulator.world('one'), emulator.world('two')]
    one.reset('sft')
    expect(names()).toEqual(['failing-job', 'sft', 'failing-job'])
    one.reset()
    expect(names()).toEqual(['failing-job', 'failing-job', 'failing-job'])
    emulator.reset('sft')
    // One that is made now begins with what the emulator follows now.
    expect(emulator.world('three').scenario.name).toBe('sft')
    emulator.world('three').reset()
    expect(emulator.world('three').scenario.name).toBe('failing-job')
    expect(names()).toEqual(['sft', 'sft', 'sft'])
    emulator.reset()
    expect(names()).toEqual(['failing-job', 'failing-job', 'failing-job'])
    expect(emulator.world('three').seed).toBe(7)
  })

  it('of a saved world returns to the scenario of the restart, or else to the saved one', async () => {
    const data = temporaryFolder()
    const first = createEmulator({ data, scenario: 'failing-job', seed: 7 })
    first.reset('sft')
    await first.models.create({ name: 'poet' })
    await first.close()

    const second = createEmulator({ data })
    second.reset('happy-path')
    second.reset()
    expect([second.scenario.name, second.seed]).toEqual(['sft', 7])
    await second.models.create({ name: 'poet' })
    await second.close()

    const third = createEmulator({ data, scenario: 'failing-job' })
    third.reset('happy-path')
    third.reset()
    expect([third.scenario.name, third.seed]).toEqual(['failing-job', 7])
    await third.close()
  })
})
