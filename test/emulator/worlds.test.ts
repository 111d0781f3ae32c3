import { describe, expect, it } from 'vitest'
import { createEmulator, type Emulator } from '../../src/index.js'
import { assertReceivedRequest } from '../../src/assert.js'
import { MOST_WORLDS } from '../../src/emulator/worlds-by-key.js'
import { describeTransports } from '../support/transports.js'
import { bearer, clientOf, withKey } from '../support/api-client.js'

const poet = { project: 'demo', name: 'poet', base_model: 'example/base-8b-instruct' }

describeTransports('worlds by API key', (open) => {
  it('do not share models', async () => {
    const api = await open({ isolate: 'api-key' })
    const one = await api.post('/preview/models', poet, withKey('one'))
    const two = await api.post('/preview/models', poet, withKey('two'))
    // The same requests get the same answers, for any key.
    expect(two).toMatchObject({ status: 200, body: one.body })
    expect((await api.post('/preview/models', poet, withKey('one'))).status).toBe(409)
    const path = `/preview/models/${one.body.id}`
    expect((await api.delete(path, undefined, withKey('one'))).status).toBe(200)
    expect((await api.get(`${path}/checkpoints`, withKey('one'))).status).toBe(404)
    expect((await api.get(`${path}/checkpoints`, withKey('two'))).status).toBe(200)
  })

  it('have separate faults, scenarios and journals', async () => {
    const { emulator, get } = await open({ isolate: 'api-key' })
    const [one, two] = [emulator.world('one'), emulator.world('two')]
    one.faults.add({ fault: 'status', status: 503 })
    two.reset({ name: 'x', base_models: ['two/base'] })
    expect((await get('/preview/base-models', withKey('one'))).status).toBe(503)
    expect((await get('/preview/base-models', withKey('two'))).body).toEqual(['two/base'])
    expect((await get('/preview/base-models', withKey('three'))).status).toBe(200)
    const statuses = [one, two, emulator.world('three')].map(({ journal }) =>
      journal.entries.map((entry) => entry.kind === 'request' && entry.status),
    )
    expect(statuses).toEqual([[503], [200], [200]])
    expect(emulator.journal.entries).toEqual([])
  })

  it('answer any model name if the emulator does', async () => {
    const { emulator, post } = await open({ isolate: 'api-key' })
    emulator.world('old')
    emulator.serveAnyModel()
    const chat = { model: 'any', messages: [{ role: 'user', content: 'Hello' }] }
    for (const key of ['old', 'new']) {
      expect((await post('/chat/completions', chat, withKey(key))).status).toBe(200)
    }
  })

  it('are named if a test looks for their requests in the world of all other calls', async () => {
    const { emulator, get } = await open({ isolate: 'api-key' })
    emulator.faults.add({ fault: 'status', status: 503, match: { operation: 'listBaseModels' } })
    await get('/preview/base-models', withKey('one'))
    const where = 'are in world-1: use emulator.world() with the API key of their client'
    const requests = `Such requests ${where}.`
    expect(() => emulator.requests.find('listBaseModels')).toThrow(requests)
    expect(() => assertReceivedRequest(emulator, 'listBaseModels')).toThrow(requests)
    expect(() => assertReceivedRequest(emulator, 'listBaseModels', { times: 0 })).toThrow(requests)
    expect(() => emulator.assertNothingPending()).toThrow(`; such calls ${where}`)
    assertReceivedRequest(emulator, 'createModel', { times: 0 })
    assertReceivedRequest(emulator.world('one'), 'listBaseModels')
  })

  it('have the URLs of the emulator and their own key', async () => {
    const { emulator, fetch } = await open({ isolate: 'api-key' })
    const { trainingUrl, inferenceUrl, apiKey } = emulator.world('one')
    expect([trainingUrl, inferenceUrl]).toEqual([emulator.trainingUrl, emulator.inferenceUrl])
    await fetch(`${trainingUrl}/health`, { headers: bearer(apiKey) })
    expect(emulator.world('one').journal.entries).toHaveLength(1)
  })
})

describe('worlds by API key', () => {
  it('begin with the scenario, seed and keys of the emulator', async () => {
    const auth = { keys: { one: { user: 'ann', entity: 'team-a' } } }
    const emulator = createEmulator({ isolate: 'api-key', seed: 7, scenario: { name: 'x', auth } })
    expect(emulator.world('one')).toMatchObject({ seed: 7, scenario: { name: 'x' } })
    emulator.reset('failing-job')
    expect(emulator.world('one').scenario.name).toBe('failing-job')
    expect(emulator.world('later').scenario.name).toBe('failing-job')
  })

  it('are not created for requests without an accepted key', async () => {
    const emulator = createEmulator({ isolate: 'api-key', apiKeys: ['one'] })
    const url = `${emulator.trainingUrl}/system-check`
    for (const headers of [{}, withKey('two').headers as Record<string, string>]) {
      expect((await emulator.fetch(url, { headers })).status).toBe(401)
    }
    expect(emulator.journal.entries).toHaveLength(2)
    expect(emulator.world('two').journal.entries).toEqual([])
  })

  it('are limited to a thousand, and the least recently used one is removed', async () => {
    const emulator = createEmulator({ isolate: 'api-key' })
    for (let key = 0; key < MOST_WORLDS; key++) emulator.world(`key-${key}`)
    const kept = emulator.world('key-0')
    const hung = emulator.world('key-1')
    hung.faults.add({ fault: 'hang' })
    const waiting = visit(emulator, 'key-1')
    await hung.settle()
    for (let key = 2; key < MOST_WORLDS; key++) emulator.world(`key-${key}`)
    emulator.world('key-0')
    emulator.world('one-more')
    await expect(waiting).rejects.toThrow('fetch failed')
    expect(emulator.world('key-0')).toBe(kept)
    expect(emulator.world('key-1')).not.toBe(hung)
    expect(emulator.journal.entries).toMatchObject([
      { kind: 'note', text: expect.stringContaining('more than 1000 keys') },
      { kind: 'note' },
    ])
  })

  it('end with the emulator', async () => {
    const emulator = createEmulator({ isolate: 'api-key' })
    const world = emulator.world('one')
    world.faults.add({ fault: 'hang' })
    const waiting = visit(emulator, 'one')
    await world.settle()
    await emulator.close()
    await expect(waiting).rejects.toThrow('fetch failed')
  })

  it("cannot be used without isolate: 'api-key'", () => {
    expect(() => createEmulator().world('one')).toThrow(
      expect.objectContaining({ code: 'SVTRAIN_NOT_ISOLATED' }),
    )
  })
})

async function visit(emulator: Emulator, key: string): Promise<void> {
  await clientOf(emulator).get('/health', withKey(key))
}
