import { expect, it } from 'vitest'
import type { Emulator } from '../../../src/index.js'
import { putArtifact } from '../../../src/service/platform/put-artifact.js'
import { BASE_MODEL } from '../../support/api-client.js'
import { describeTransports } from '../../support/transports.js'

interface Brought {
  rank?: number
  metadata?: object
  config?: string
}

/** Logs an adapter as a user does who trained it elsewhere. */
function bring({ engine }: Emulator, { rank = 8, metadata, config }: Brought = {}): void {
  const place = { entity: 'local-team', project: 'verse', collection: 'elsewhere', type: 'lora' }
  const text = config ?? JSON.stringify({ peft_type: 'LORA', r: rank })
  const files = { 'adapter_config.json': new TextEncoder().encode(text) }
  const facts = { files, metadata: JSON.stringify(metadata ?? { base_model: BASE_MODEL }) }
  putArtifact(engine.platformWithCheckpoints(), place, facts, { user: 'ada' })
}

const messages = [{ role: 'user', content: 'Hello!' }]
const name = 'artifact:///local-team/verse/elsewhere:v0'

describeTransports('an adapter that a user brings', (open) => {
  it.each([
    ['with the scheme of artifacts', name],
    ['with another scheme, and an alias', 'other:///local-team/verse/elsewhere:latest'],
    ['without a version', 'local-team/verse/elsewhere'],
  ])('answers like its base model, %s', async (_how, model) => {
    const api = await open()
    bring(api.emulator)
    const answer = await api.inference.post('/chat/completions', { model, messages })
    expect(answer).toMatchObject({ status: 200, body: { model, choices: [{ index: 0 }] } })
  })

  it('may name its base model in its config alone', async () => {
    const api = await open()
    bring(api.emulator, {
      metadata: {},
      config: JSON.stringify({ base_model_name_or_path: BASE_MODEL, r: 16 }),
    })
    const answer = await api.inference.post('/chat/completions', { model: name, messages })
    expect(answer.status).toBe(200)
  })

  it.each<[Brought, string]>([
    [{ rank: 32 }, 'the adapter has the rank 32, and the service serves up to 16'],
    [
      { metadata: {} },
      'the adapter names no base model: add base_model to the metadata of its artifact',
    ],
    [
      { metadata: { base_model: 'example/other' } },
      'the adapter has the base model example/other, which is not served',
    ],
    // A program that loads the adapter needs its config, although its metadata names the base model.
    [{ config: 'not JSON' }, 'adapter_config.json is not a JSON object'],
    [{ config: '[]' }, 'adapter_config.json is not a JSON object'],
  ])('%j is refused, and the journal says why', async (brought, why) => {
    const api = await open()
    bring(api.emulator, brought)
    const answer = await api.inference.post('/chat/completions', { model: name, messages })
    expect(answer).toMatchObject({
      status: 404,
      body: { error: { message: `The model \`${name}\` does not exist.` } },
    })
    const request = api.emulator.journal.entries.findLast((entry) => entry.kind === 'request')
    expect(request?.hint).toContain(why)
  })

  it('is not there for a key of another entity', async () => {
    const keys = { 'key-of-bob': { user: 'bob', entity: 'other-team' } }
    const api = await open({ scenario: { name: 'two', auth: { keys, separateEntities: true } } })
    bring(api.emulator)
    const headers = { authorization: 'Bearer key-of-bob' }
    const body = { model: name, messages }
    expect((await api.inference.post('/chat/completions', body, { headers })).status).toBe(404)
  })
})
