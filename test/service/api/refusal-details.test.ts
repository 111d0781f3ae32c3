import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Journal } from '../../../src/service/engine/journal.js'
import { shownEntry } from '../../../src/service/engine/shown-entry.js'
import { describeTransports, type Api } from '../../support/transports.js'

const poet = { project: 'demo', name: 'poet', base_model: 'example/base-8b-instruct' }
const messages = [{ role: 'user', content: 'hi' }]
const sent = { method: 'GET', path: '/x', query: '', headers: {} }

/** True of keys of the scenario, and of those of options. */
const WRONG_KEY =
  'the key in the header Authorization is neither in auth.keys of the scenario nor an --api-key (apiKeys in code)'

/** What the journal says about the latest request. */
function latest({ emulator }: Api): { detail?: string; hint?: string } {
  const entry = emulator.journal.entries.findLast(({ kind }) => kind === 'request')!
  return JSON.parse(JSON.stringify(entry)) as object
}

describeTransports('the journal says why a request was refused', (open) => {
  it('with the detail of the training API', async () => {
    const api = await open()
    const { emulator } = api
    await api.get('/preview/models/none/checkpoints')
    expect(latest(api).detail).toBe('Model not found')
    await api.post('/preview/models', poet)
    await api.post('/preview/models', poet)
    expect(latest(api).detail).toBe('Model "poet" already exists in project "demo"')
    await api.delete('/health')
    expect(latest(api).detail).toBe('Method Not Allowed')
    await api.post('/preview/models', poet, { headers: { authorization: undefined } })
    expect(latest(api).detail).toBe('Not authenticated')
    expect(emulator.requests.all()[1]).not.toHaveProperty('detail')
  })

  it('with the first problem of a 422, and how many more there are', async () => {
    const api = await open()
    await api.post('/preview/models', { ...poet, name: 5 })
    expect(latest(api).detail).toBe('body.name: Input should be a valid string')
    await api.post('/preview/models', {})
    expect(latest(api).detail).toBe('body.project: Field required, and 2 more')
    expect(latest(api).hint).toBe('missing: project, name, base_model')
  })

  it.each([
    [undefined, 'the call has no header Authorization'],
    ['', 'the header Authorization is empty'],
    ['k', 'the header Authorization has a word alone, without a scheme; send "Bearer <key>"'],
    ['Bearer ', 'the header Authorization has no key; send "Bearer <key>"'],
    [
      'Token another-long-key',
      'the header Authorization has the scheme Token, and Bearer is needed; send "Bearer <key>"',
    ],
    [
      'sesame long-key',
      'the header Authorization has another scheme, and Bearer is needed; send "Bearer <key>"',
    ],
    ['Bearer another-long-key', WRONG_KEY],
  ])('with what is wrong with the header Authorization: %s', async (authorization, hint) => {
    const api = await open({ scenario: { name: 'mine', auth: { keys: { 'a-long-key': {} } } } })
    const { status, body } = await api.post('/preview/models', poet, { headers: { authorization } })
    expect([status, body]).toEqual([401, { detail: 'Not authenticated' }])
    expect(latest(api).hint).toBe(hint)
    expect(api.emulator.trace()).toContain(`401; Not authenticated; ${hint}`)
  })

  it('for each reason, also of many refusals in a row whose answers are the same', async () => {
    const api = await open({ scenario: { name: 'mine', auth: { keys: { 'a-long-key': {} } } } })
    const key = 'Bearer another-key'
    const keys = [undefined, undefined, undefined, key, key, undefined, undefined]
    for (const authorization of keys) {
      await api.post('/preview/models', poet, { headers: { authorization } })
    }
    const row = api.emulator.trace().split('\n').slice(-keys.length)
    expect(row.map((line) => line.includes(WRONG_KEY))).toEqual(
      keys.map((each) => each !== undefined),
    )
  })

  it('with a key that is in another header', async () => {
    const api = await open()
    const headers = { authorization: undefined, 'x-api-key': 'a-long-key' }
    await api.inference.post('/chat/completions', { model: 'x', messages }, { headers })
    expect(latest(api).hint).toBe(
      'the call has no header Authorization; the header x-api-key is not read',
    )
  })

  it.each<[unknown, string]>([
    [{ ...poet, name: 5 }, 'name is a number'],
    [
      { ...poet, base_model: undefined, base_modle: 'x' },
      'base_model is missing (did you mean it with "base_modle"?)',
    ],
    [[], 'the body is an array'],
    [
      { project: 1, name: 2, base_model: 3, entity: 4 },
      'project is a number; name is a number; base_model is a number',
    ],
    [
      `{"project": "p", "name": 1.0, "entity": ${'9'.repeat(30)}, "base_model": "b"}`,
      'entity is a number; name is a number',
    ],
  ])('with what is wrong with the input: %j', async (body, hint) => {
    const api = await open()
    expect((await api.post('/preview/models', body)).status).toBe(422)
    expect(latest(api).hint).toContain(hint)
  })

  it.each([
    ['nope', 'application/json', 'the body is not JSON: Expecting value at character 1'],
    ['{}', 'text/plain', 'the body is a text and not an object; send it with the content type'],
  ])('with what is wrong with the body %s as %s', async (body, type, hint) => {
    const api = await open()
    const headers = { 'content-type': type }
    expect((await api.post('/preview/models', body, { headers })).status).toBe(422)
    expect(latest(api).hint).toContain(hint)
  })

  it('with the message of a chat, and the models that are served', async () => {
    const api = await open()
    await api.post('/preview/models', poet)
    const ask = (model: string) => api.inference.post('/chat/completions', { model, messages })
    const refused = await ask('poet')
    expect(refused.status).toBe(404)
    expect(refused.body.error.message).toBe('The model `poet` does not exist.')
    expect(latest(api)).toMatchObject({
      detail: 'The model `poet` does not exist.',
      hint: 'Did you mean "local-team/demo/poet"?',
    })
    await ask('demo/poet')
    expect(latest(api).hint).toBe('Did you mean "local-team/demo/poet"?')
    await ask('some-team/large-model-30b')
    expect(latest(api).hint).toBe(
      'served: example/base-8b-instruct, example/base-14b-instruct, local-team/demo/poet; base_models in the scenario adds a base model, and --serve-any-model answers any name',
    )
    await api.inference.post('/chat/completions', { model: 'example/base-8b-instruct' })
    expect(latest(api).detail).toBe('body.messages: Field required')
  })

  it.each([
    ['poet:step9', 'poet has no checkpoint step9. It has latest, best, step2, step0.'],
    ['poet:v3', 'poet has no checkpoint v3. It has latest, best, step2, step0.'],
    ['poet:latst', 'poet has no checkpoint latst. Did you mean "latest"?'],
    ['poet:bst', 'poet has no checkpoint bst. Did you mean "best"?'],
    ['poet:production', 'poet has no checkpoint production. It has latest, best, step2, step0.'],
    ['poet:worst', 'poet has no checkpoint worst. It has latest, best, step2, step0.'],
    ['peot', 'Did you mean "local-team/demo/poet"?'],
    ['peot:step1', 'Did you mean "local-team/demo/poet"?'],
  ])('with what is wrong in the name of a trained model: %s', async (name, hint) => {
    const timeline = ['best', 'worst'].map((alias, index) => {
      const after = { event: 'checkpoint_added', occurrence: index + 1 } as const
      return { after, do: 'add_alias', alias } as const
    })
    const api = await open({ scenario: { name: 'aliases', timeline } })
    const { checkpoints } = api.emulator
    await api.post('/preview/models', poet)
    await api.emulator.settle()
    await checkpoints.add({ model: 'poet' })
    await api.emulator.settle()
    await checkpoints.add({ model: 'poet' })
    checkpoints.delete(1)
    const model = `wandb-artifact:///local-team/demo/${name}`
    const refused = await api.inference.post('/chat/completions', { model, messages })
    expect(refused.body.error.message).toBe(`The model \`${model}\` does not exist.`)
    expect(latest(api).hint).toBe(hint)
  })

  it.each([
    'demo/poet',
    'poet',
    'demo/poet:step1',
    'poet:latest',
    'my-team/demo/poet',
    'demo/peot',
  ])('with the whole name of a trained model: %s', async (name) => {
    const api = await open()
    await api.post('/preview/models', poet)
    for (const model of [`wandb-artifact:///${name}`, `wandb-artifact://${name}`]) {
      await api.inference.post('/chat/completions', { model, messages })
      expect(latest(api).hint).toBe('Did you mean "local-team/demo/poet"?')
    }
  })

  it('with what a fault answers', async () => {
    const api = await open()
    const { faults } = api.emulator
    faults.add({ fault: 'status', status: 503, message: 'Down for a while', calls: 1 })
    await api.get('/health')
    expect(latest(api).detail).toBe('Down for a while')
    faults.add({ fault: 'status', status: 500, body: { oops: 1 }, calls: 1 })
    await api.get('/health')
    expect(latest(api).detail).toBe('{"oops":1}')
    faults.add({ fault: 'status', status: 502, body: '<html>\n  Bad gateway\n</html>', calls: 1 })
    await api.get('/health')
    expect(latest(api).detail).toBe('<html> Bad gateway </html>')
  })
})

describe('the detail of a refusal', () => {
  it('is one short line without the keys, for any answer', () => {
    const key = fc.string({ minLength: 8, unit: fc.constantFrom('k', 'e', 'y', '$', '.', '-') })
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.string(), fc.constant('\n'), key)), key, (parts, secret) => {
        const journal = new Journal(() => 0)
        journal.redactor.remember(secret)
        const entry = journal.open('training', { ...sent, body: new Uint8Array() })
        entry.detail = [...parts, secret, ...parts].join(' ')
        journal.close(entry, 1)
        const { detail = '' } = shownEntry(entry)
        expect(detail).not.toContain(secret)
        expect(detail).not.toMatch(/[\r\n]/)
        expect(detail.length).toBeLessThanOrEqual(240)
      }),
    )
  })
})
