import { setImmediate } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { compose } from '../../../../src/compose/compose.js'
import { control } from '../../../../src/compose/control.js'
import { nodeRuntime } from '../../../../src/compose/node-runtime.js'
import { loadedChecks } from '../../../../src/emulator/checks.js'
import { createEmulator, type Emulator, type EmulatorOptions } from '../../../../src/index.js'
import { caller, type Call } from '../../control/control.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { leftBy } from './world-on-disk.js'

function open(
  options: EmulatorOptions,
  create = createEmulator,
): { emulator: Emulator; call: Call } {
  const emulator = create({ clock: 'manual', ...options })
  onTestFinished(() => emulator.close())
  return { emulator, call: caller(emulator, emulator.fetch) }
}

/** Opens the world that the next process finds if this one is killed now. */
function nextProcess(data: string): ReturnType<typeof open> {
  return open({ data: leftBy(data) })
}

const outage = { fault: 'status', status: 503 } as const

describe('concurrent changes of a world in a data folder:', () => {
  it('changes of one fault take effect in the order of their responses', async () => {
    const data = temporaryFolder()
    const { emulator, call } = open({ data })
    await emulator.ready()
    emulator.faults.add(outage)
    for (let round = 0; round < 20; round++) {
      const acknowledged: boolean[] = []
      const verbs = ['open', 'close', 'close', 'open', 'close', 'open'].slice(0, 1 + (round % 6))
      await Promise.all(
        verbs.map(async (verb) => {
          const { body } = await call(`POST /faults/added-1/${verb}`)
          expect(body.open).toBe(verb === 'open')
          acknowledged.push(verb === 'open')
        }),
      )
      const { body } = await nextProcess(data).call('GET /faults')
      expect(body.faults).toMatchObject([{ open: acknowledged.at(-1) }])
    }
  })

  it('a call is answered once the new scenario is ready, and then its change is on disk', async () => {
    const data = temporaryFolder()
    const { emulator, call } = open({ data })
    await emulator.ready()
    emulator.faults.add(outage)
    await setImmediate()
    const closed = call('POST /faults/added-1/close')
    await Promise.resolve()
    emulator.follow(emulator.scenario)
    expect((await closed).status).toBe(200)
    const { body } = await nextProcess(data).call('GET /faults')
    expect(body.faults).toMatchObject([{ open: false }])
  })

  it('a fault that is added while the world is reset is there afterwards', async () => {
    const data = temporaryFolder()
    // As with the command line: the first fault loads the schema library.
    const checks = { ...loadedChecks, load: () => setImmediate(loadedChecks.loaded) }
    const slow = compose({ ...nodeRuntime, checks, control })
    const { emulator, call } = open({ data }, slow as typeof createEmulator)
    await emulator.ready()
    const [added, reset] = await Promise.all([
      call('POST /faults', outage),
      call('POST /reset', {}),
    ])
    expect([added.status, reset.status]).toEqual([200, 200])
    const { body } = await nextProcess(data).call('GET /faults')
    expect(body.faults).toMatchObject([{ id: added.body.id, open: true }])
  })

  it.each([
    ['POST /models', { name: 'new' }],
    ['POST /jobs', { model: 'new' }],
  ])(
    '%s is refused if its world is replaced meanwhile, and changes nothing',
    async (line, body) => {
      const { emulator, call } = open({ data: temporaryFolder() })
      await emulator.ready()
      const subscribed = emulator.journal.subscribe(() => {
        subscribed()
        // The row has begun: it waits for the model.
        queueMicrotask(() => emulator.reset())
      })
      expect(await call(line, body)).toEqual({
        status: 409,
        body: {
          detail:
            'A reset or a snapshot replaced the world during this call. Nothing of the call is left. Send it again.',
        },
      })
      expect((await call('GET /models')).body.models).toEqual([])
      expect((await call('GET /jobs')).body.jobs).toEqual([])
    },
  )

  it('an automation is refused if its webhook is removed while it is added', async () => {
    const { emulator, call } = open({ data: temporaryFolder() })
    await emulator.ready()
    const automation = { name: 'linked', webhook: 'hook', event: 'LINK_ARTIFACT', payload: {} }
    emulator.webhooks.add({ webhooks: [{ name: 'hook', url: 'http://receiver.test/' }] })
    const [added, removed] = await Promise.all([
      call('POST /automations', automation),
      // With a body, so that reading it takes as long as for the other call.
      call('DELETE /webhooks/hook', {}),
    ])
    expect(removed.status).toBe(200)
    expect(added).toMatchObject({
      status: 400,
      body: { detail: expect.stringContaining('there is no webhook named "hook"') as string },
    })
    expect((await call('GET /automations')).body).toEqual({ automations: [] })
  })

  it('a world that is changed before it is ready is saved from its beginning', async () => {
    const data = temporaryFolder()
    const { emulator, call } = open({ data })
    // It follows its scenario once more, with the sink among the webhooks.
    emulator.createSink()
    expect((await call('POST /models', { name: 'poet' })).status).toBe(200)
    const { body } = await nextProcess(data).call('GET /models')
    expect(body.models).toMatchObject([{ name: 'poet' }])
  })

  it.each([
    ['created', () => {}],
    ['reset', (emulator: Emulator) => emulator.reset()],
  ])('a world is saved as soon as it is %s, without a call', async (_how, begin) => {
    const data = temporaryFolder()
    const { emulator } = open({ data, seed: 7, scenario: { name: 'empty' } })
    begin(emulator)
    await emulator.ready()
    await setImmediate()
    const next = nextProcess(data).emulator
    expect([next.seed, next.scenario.name]).toEqual([7, 'empty'])
  })

  it('a reset and an immediate change of the scenario leave nothing of the previous world', async () => {
    const data = temporaryFolder()
    const { emulator, call } = open({ data })
    expect((await call('POST /models', { name: 'poet' })).status).toBe(200)
    emulator.reset()
    emulator.follow(emulator.scenario)
    expect((await call('GET /models')).body.models).toEqual([])
    expect((await nextProcess(data).call('GET /models')).body.models).toEqual([])
  })
})
