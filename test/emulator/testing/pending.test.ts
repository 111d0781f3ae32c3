import { describe, expect, it } from 'vitest'
import { pendingIn } from '../../../src/emulator/testing/pending.js'
import { createEmulator } from '../../../src/index.js'
import { clientOf } from '../../support/api-client.js'
import { chat, createModel } from '../../support/trainer.js'

describe('assertNothingPending', () => {
  it('prints a table of the pending work', async () => {
    const emulator = createEmulator({ clock: 'manual', scenario: 'stuck-job' })
    const model = await emulator.models.create({ name: 'poet' })
    const job = await emulator.jobs.start({ model })
    emulator.jobs.advance(job, 2)
    emulator.faults.add({ fault: 'status', status: 503, name: 'gateway' })
    await emulator.fetch(`${emulator.trainingUrl}/preview/modles`, { method: 'POST' })
    expect(() => emulator.assertNothingPending()).toThrowErrorMatchingInlineSnapshot(`
      [PendingError: 3 things are pending (scenario "stuck-job", seed 1, clock manual):
        what     which                                    why
        job      8ea2aea6 (model poet)                    running, 1 of 6 steps taken
        fault    gateway (status)                         never hit: no call matched
        request  request 3 (POST /v1/preview/modles 404)  matched no operation; nearest operation: POST /v1/preview/models]
    `)
    expect(() => emulator.assertNothingPending()).toThrow(
      expect.objectContaining({ code: 'SVTRAIN_PENDING' }),
    )
  })

  it('lists only deliveries that no receiver acknowledged', async () => {
    const emulator = createEmulator({ clock: 'manual' })
    const sink = emulator.createSink()
    sink.answer({ status: 503, times: 1 })
    const [failed] = await emulator.trigger('RUN_STATE', { state: 'failed' })
    await emulator.trigger('RUN_STATE', { state: 'finished' })
    await emulator.webhooks.idle()
    expect(() => emulator.assertNothingPending()).toThrow(
      `1 thing is pending (scenario "happy-path", seed 1, clock manual):
  what      which                             why
  delivery  ${failed!.id.slice(0, 8)} (RUN_STATE to receiver)  not acknowledged after 1 attempt: answered 503`,
    )
    await emulator.webhooks.resend(failed!.id)
    emulator.assertNothingPending()
  })

  it('takes faults that differ only in their time for one, and says why nothing came of it', async () => {
    const emulator = createEmulator({ scenario: 'judge-down', serveAnyModel: true })
    const ask = async (content: string): Promise<number> =>
      (await chat(clientOf(emulator), content, { model: 'gpt-4.1-mini' })).status
    expect(await ask('Name a color.')).toBe(200)
    expect(() => emulator.assertNothingPending()).toThrow(
      "and 5 more  never hit: no chat was recognized as a judge's; 1 chat went to gpt-4.1-mini",
    )
    expect(await ask('Score it from 0 to 1: Blue.')).toBe(503)
    emulator.assertNothingPending()
  })

  it('says that a fault hit calls before its scenario was loaded again', async () => {
    const faults = [{ fault: 'status', status: 503, calls: 1 } as const]
    const emulator = createEmulator({ clock: 'manual', scenario: { name: 'mine', faults } })
    await clientOf(emulator).post('/preview/models', {})
    emulator.assertNothingPending()
    emulator.clock.advance('4s')
    emulator.revise({ name: 'mine', faults })
    expect(pendingIn(emulator)[0]!.why).toBe(
      'never hit: no call matched, since the scenario was loaded again at 2026-01-01T00:00:04.000Z',
    )
  })

  it('names what was called in place of a call that a fault waits for', async () => {
    const emulator = createEmulator({ clock: 'manual' })
    const api = clientOf(emulator)
    const why = async (match: object, during?: object): Promise<string | undefined> => {
      emulator.reset()
      emulator.faults.add({ fault: 'status', status: 503, match, ...during })
      await createModel(api, 'poet')
      emulator.clock.advance('1m')
      await createModel(api, 'painter')
      await api.get('/preview/base-models')
      return pendingIn(emulator).find(({ what }) => what === 'fault')?.why
    }
    const called = 'called: createModel, listBaseModels'
    expect(await why({ operation: 'listServedModels' })).toBe(
      `never hit: no call matched (${called}; did you mean listBaseModels?)`,
    )
    expect(await why({ operation: 'healthCheck' })).toBe(`never hit: no call matched (${called})`)
    expect(await why({ operation: 'createModel', model: 'other' })).toBe(
      'never hit: no call matched (2 calls of createModel had another model)',
    )
    const early = { during: { from: '10s', to: '20s' } }
    expect(await why({ operation: 'createModel' }, early)).toBe(
      'never hit: no call matched in its time (2 calls of createModel came at another time)',
    )
  })

  it('passes if nothing is pending', async () => {
    const emulator = createEmulator()
    const hit = emulator.faults.add({ fault: 'status', status: 503 })
    await emulator.fetch(`${emulator.trainingUrl}/preview/base-models`)
    await emulator.jobs.start()
    await emulator.settle()
    expect(hit.hits).toBe(1)
    emulator.assertNothingPending()
  })
})
