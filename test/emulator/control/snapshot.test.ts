import { describe, expect, it } from 'vitest'
import { createClient } from '../../../src/client.js'
import type { Emulator, EmulatorOptions } from '../../../src/index.js'
import { submit } from '../../support/trainer.js'
import { caller, controlled } from './control.js'
import { openEmulator } from '../open-emulator.js'

async function served(options: EmulatorOptions = {}, controlToken?: string) {
  const emulator = openEmulator({ ...options })
  const { port } = await emulator.listen({ controlToken })
  const client = createClient({ url: emulator.trainingUrl, token: controlToken })
  return { emulator, client, port }
}

/** With a job that has taken a step. */
async function underWay(emulator: Emulator): Promise<string> {
  const job = await submit(emulator)
  emulator.clock.advance('2s')
  return job
}

describe('a snapshot of the control API', () => {
  it('equals emulator.snapshot(), and a job continues from it', async () => {
    const first = await served({ scenario: 'failing-job', seed: 7 })
    const job = await underWay(first.emulator)
    const snapshot = await first.client.snapshot()
    expect(snapshot).toEqual(await first.emulator.snapshot())

    const second = await served()
    await submit(second.emulator, 'painter')
    expect(await second.client.restore(snapshot)).toEqual({
      scenario: 'failing-job',
      seed: 7,
      now: '2026-01-01T00:00:02.000Z',
      models: 1,
      jobs: 1,
      running_jobs: 1,
      secrets_without_value: [],
      missing_webhooks: [],
    })
    expect(await second.client.snapshot()).toEqual(snapshot)
    await second.client.clock.advance('1h')
    await first.client.clock.advance('1h')
    const { events } = await second.client.jobs.events(job)
    expect(events).toHaveLength(5)
    expect(events).toEqual((await first.client.jobs.events(job)).events)
  })

  it('that cannot be restored is refused, and changes nothing', async () => {
    const { emulator, call } = controlled()
    const job = await underWay(emulator)
    const snapshot = await emulator.snapshot()
    const before = JSON.stringify(snapshot)
    const put = (body: unknown) => call('PUT /snapshot', body)
    const refused: [body: unknown, status: number, detail: RegExp][] = [
      [{ ...snapshot, version: 99 }, 409, /it has version 99, but this emulator reads version/],
      [{}, 400, /it is not a snapshot/],
      ['{"format":"svtrain-emu', 400, /The body is not JSON/],
      ['[1]', 400, /dict/],
    ]
    for (const [body, status, detail] of refused) {
      const answer = await put(body)
      expect(answer).toMatchObject({ status, body: { detail: expect.stringMatching(detail) } })
    }
    expect(emulator.job().id).toBe(job)
    expect(JSON.stringify(await emulator.snapshot())).toBe(before)
  })

  it('of a scenario with functions is restored only if that scenario is active', async () => {
    const scenario = {
      name: 'mine',
      jobs: [{ match: () => true, timeline: [{ event: 'never' as const }] }],
    }
    const [one, other] = [controlled({ scenario }), controlled({ scenario })]
    await underWay(one.emulator)
    const { body: snapshot } = await one.call('GET /snapshot')
    expect(await other.call('PUT /snapshot', snapshot)).toMatchObject({ body: { jobs: 1 } })
    const answer = await controlled().call('PUT /snapshot', snapshot)
    expect(answer).toMatchObject({
      status: 409,
      body: {
        detail: expect.stringContaining('its scenario "mine" contains functions'),
      },
    })
  })

  it('without secrets contains none, and its import names those without a value', async () => {
    const scenario = {
      name: 'guarded',
      auth: { keys: { 'a-key-of-ann': { user: 'ann' } } },
      secrets: { SIGNING: 'the-signing-secret', TOKEN: 'the-access-token', UNUSED: 'x' },
      webhooks: [
        { name: 'hook', url: 'http://127.0.0.1:9/', secret: 'SIGNING', access_token: 'TOKEN' },
      ],
    }
    const { call } = controlled({ scenario })
    const { body: snapshot } = await call('GET /snapshot?secrets=false')
    expect(snapshot.secrets).toBeUndefined()
    expect(JSON.stringify(snapshot)).not.toMatch(/a-key-of-ann|the-signing-secret|the-access-token/)
    const other = controlled()
    const { body } = await other.call('PUT /snapshot', snapshot)
    expect(body.secrets_without_value).toEqual(['SIGNING', 'TOKEN'])
    expect(other.emulator.trace()).toContain(
      'Secrets without a value: SIGNING, TOKEN. Deliveries are sent without them',
    )
    await other.call('POST /secrets', { name: 'SIGNING', value: 'the-new-secret' })
    const { body: again } = await other.call('GET /snapshot')
    const third = await controlled().call('PUT /snapshot', again)
    expect(third.body.secrets_without_value).toEqual(['TOKEN'])
  })

  it('needs the control token if there is one, even to be read', async () => {
    const { emulator, client } = await served({}, 'token')
    const stranger = caller(emulator, fetch)
    const refusal = { status: 401, body: { detail: expect.stringContaining('control token') } }
    expect(await stranger('GET /snapshot')).toMatchObject(refusal)
    expect(await stranger('GET /snapshot?secrets=false')).toMatchObject(refusal)
    expect(await stranger('PUT /snapshot', {})).toMatchObject(refusal)
    await client.restore(await client.snapshot())
  })

  it('is of one world, if each key has its own', async () => {
    const { emulator, client } = await served({ isolate: 'api-key' })
    const [one, two] = ['one', 'two'].map((world) =>
      createClient({ url: emulator.trainingUrl, world }),
    )
    const job = await submit(emulator, 'poet', 'one')
    const snapshot = await one!.snapshot()
    await two!.restore(snapshot)
    await two!.clock.advance('2s')
    expect(await two!.jobs.get(job)).toMatchObject({ status: 'running', step: 1 })
    expect(await one!.jobs.get(job)).toMatchObject({ status: 'queued' })
    await expect(client.snapshot()).rejects.toMatchObject({ status: 409 })
    await expect(client.restore(snapshot)).rejects.toThrow(/a snapshot contains one world/)
  })
})
