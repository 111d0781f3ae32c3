import { describe, expect, it } from 'vitest'
import { createEmulator } from '../../../src/index.js'

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
    const ask = async (content: string): Promise<number> => {
      const body = { model: 'gpt-4.1-mini', messages: [{ role: 'user', content }] }
      const url = `${emulator.trainingUrl}/chat/completions`
      const headers = { authorization: 'Bearer any', 'content-type': 'application/json' }
      const sent = { method: 'POST', headers, body: JSON.stringify(body) }
      return (await emulator.fetch(url, sent)).status
    }
    expect(await ask('Name a color.')).toBe(200)
    expect(() => emulator.assertNothingPending()).toThrow(
      "and 5 more  never hit: no chat was recognized as a judge's; 1 chat went to gpt-4.1-mini",
    )
    expect(await ask('Score it from 0 to 1: Blue.')).toBe(503)
    emulator.assertNothingPending()
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
