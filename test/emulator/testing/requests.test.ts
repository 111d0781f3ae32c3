import { describe, expect, it, vi } from 'vitest'
import { createEmulator, operations } from '../../../src/index.js'
import { Journal } from '../../../src/service/engine/journal.js'
import { operationNames } from '../../../src/service/contract/operation-names.js'
import { Requests } from '../../../src/emulator/testing/requests.js'
import { bearer, clientOf, jsonHeaders } from '../../support/api-client.js'
import { groups, startJob } from '../../support/trainer.js'

async function trained() {
  const emulator = createEmulator()
  const client = clientOf(emulator)
  const options = { headers: { ...bearer('very-secret'), 'x-trace': 'abc' } }
  const model = await emulator.models.create({ name: 'poet' })
  await startJob(client, model.id, groups, options)
  await client.get('/preview/training-jobs/nonsense/events?limit=5&after=xyz', options)
  return { emulator, model, listBaseModels: () => client.get('/preview/base-models') }
}

describe('emulator.requests', () => {
  it('finds requests by operation, body, header, query and status', async () => {
    const { emulator, model } = await trained()
    const { requests } = emulator
    expect(requests.find('createRlTrainingJob').status).toBe(200)
    expect(
      requests.find({
        method: 'POST',
        path: /training-jobs$/,
        headers: { 'X-Trace': /^a/ },
        body: { model_id: model.id, trajectory_groups: [{ trajectories: expect.any(Array) }, {}] },
      }).operation,
    ).toBe('createRlTrainingJob')
    expect(requests.count({ query: { limit: '5' }, status: 404 })).toBe(1)
    expect(requests.count({ body: (body: unknown) => body !== undefined })).toBe(1)
    expect(requests.all().map(({ method }) => method)).toEqual(['POST', 'GET'])
  })

  it('counts only the requests that it compared', async () => {
    await using emulator = createEmulator()
    const { fetch, trainingUrl } = emulator
    for (let count = 0; count < 501; count++) await fetch(`${trainingUrl}/nowhere`)
    expect(() => emulator.requests.find({ path: /nowhere/, status: 500 })).toThrow(
      'The nearest of the latest 500 requests is request 501 (GET /v1/nowhere 404):',
    )
  })

  it('reports the nearest request and its differences', async () => {
    const { emulator, model } = await trained()
    const find = () =>
      emulator.requests.find({
        operation: 'createRlTrainingJob',
        headers: { 'x-trace': 'xyz' },
        body: { model_id: model.id, trajectory_groups: [{ trajectories: [{ reward: 0.25 }, {}] }] },
      })
    expect(find).toThrow(
      [
        'The nearest of 2 requests is request 1 (POST /v1/preview/training-jobs 200):',
        '  headers.x-trace: expected "xyz", received "abc"',
        '  body.trajectory_groups.length: expected 1, received 2',
        '  body.trajectory_groups[0].trajectories[0].reward: expected 0.25, received 1',
        '',
        'Seed 1.',
      ].join('\n'),
    )
    expect(find).toThrow(expect.objectContaining({ code: 'SVTRAIN_NO_SUCH_REQUEST' }))
  })

  it('reports that there was no request', () => {
    expect(() => createEmulator().requests.find('createModel')).toThrow(
      'No request matches { operation: "createModel" }.\n\nThere was no request at all.\n\nSeed 1.',
    )
  })

  it('never shows a key', async () => {
    const { emulator } = await trained()
    const find = () => emulator.requests.find({ headers: { Authorization: 'Bearer other-secret' } })
    expect(find).toThrow(
      'headers.authorization: expected a value, not shown, received another value',
    )
    expect(find).not.toThrow(/secret/)
    const printed = emulator.requests.all().map((request) => JSON.stringify(request))
    expect(printed.join()).not.toContain('secret')
    expect(emulator.trace()).not.toContain('secret')
  })

  it('never shows a secret of a query or of a body', async () => {
    const emulator = createEmulator()
    const url = new URL('/v1/health?token=left&page=2', emulator.trainingUrl)
    const note = `with hunter-22 ${'x'.repeat(200)}`
    const body = JSON.stringify({ api_key: 'hunter-22', note, api_keys: ['hunter-33'] })
    await emulator.fetch(url, { method: 'POST', body, headers: jsonHeaders() })
    const find = () =>
      emulator.requests.find({
        query: { token: 'a', page: '3' },
        body: { api_key: 'b', api_keys: ['d'], note: 'c' },
      })
    expect(find).toThrow(
      [
        '  query.token: expected a value, not shown, received another value, not shown',
        '  query.page: expected "3", received "2"',
        '  body.api_key: expected a value, not shown, received another value, not shown',
        '  body.api_keys[0]: expected a value, not shown, received another value, not shown',
        '  body.note: expected "c", received "with [not shown] xxx',
      ].join('\n'),
    )
    expect(() => emulator.requests.find({ body: 5 })).toThrow(
      'body: expected 5, received { api_key: "[not shown]", note: "with [not shown] xxx',
    )
  })

  it('refuses an unknown operation, and one of the control API, which is never recorded', () => {
    const { requests } = createEmulator()
    expect(() => requests.count('createRlTraningJob')).toThrow(
      'No operation of the API is called "createRlTraningJob". Did you mean "createRlTrainingJob"?',
    )
    const listed = operations.filter(({ host }) => host !== 'control').map(({ id }) => id)
    expect(operationNames, 'src/service/contract/operation-names.ts lists them').toEqual(listed)
    expect(() => requests.count('createJob')).toThrow(
      `No operation of the API is called "createJob". Requests to the control API are not recorded. Operations of the API: ${listed.join(', ')}.`,
    )
  })

  it('waits for a later request, or returns an earlier one at once', async () => {
    const { emulator, listBaseModels } = await trained()
    const waiting = emulator.requests.waitFor({ operation: 'listBaseModels' })
    await listBaseModels()
    expect((await waiting).path).toBe('/v1/preview/base-models')
    expect(await emulator.requests.waitFor('listBaseModels')).toBe(await waiting)
  })

  it('waits for the response of an earlier request', async () => {
    const { emulator, listBaseModels } = await trained()
    emulator.faults.add({ fault: 'delay', delay: '1h', match: { operation: 'listBaseModels' } })
    const answer = listBaseModels()
    await vi.waitFor(() => expect(emulator.requests.count('listBaseModels')).toBe(1))
    const waiting = emulator.requests.waitFor('listBaseModels')
    emulator.clock.advance('1h')
    await answer
    expect((await waiting).status).toBe(200)
  })

  it('reports why no request matched', async () => {
    const { emulator } = await trained()
    await expect(emulator.requests.waitFor('listCheckpoints', { within: '20ms' })).rejects.toThrow(
      /^Within 20 ms, no request came that matches \{ operation: "listCheckpoints" \}\.\n\nThe nearest of 2/,
    )
  })

  it('goes on while a module is imported, which may make the request', async () => {
    const { emulator, listBaseModels } = await trained()
    const waiting = emulator.requests.waitFor('listBaseModels')
    const { isLoaded } = await import('./slow-module.js')
    expect(isLoaded).toBe(true)
    await listBaseModels()
    expect((await waiting).status).toBe(200)
  })

  it('drops the oldest bodies first, and says so', () => {
    const journal = new Journal(() => 0, { bodyBytes: 30 })
    const { clock } = createEmulator()
    const requests = new Requests({ clock, inFlight: 0, journal, seed: 1 })
    for (const text of ['{"number": 1}', '{"number": 2}', '{"number": 3}']) {
      const body = new TextEncoder().encode(text)
      const received = { method: 'POST', path: '/', query: '', headers: {}, body }
      journal.close(journal.open('training', received), 0)
    }
    expect(requests.all().map(({ body }) => body)).toEqual([
      undefined,
      { number: 2 },
      { number: 3 },
    ])
    expect(requests.all().map(({ bodyForgotten }) => bodyForgotten)).toEqual([true, false, false])
    expect(() => requests.find({ body: { number: 1 }, path: '/' })).toThrow(
      'body.number: expected 1',
    )
  })
})
