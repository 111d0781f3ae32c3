import { expect, it } from 'vitest'
import type { Emulator } from '../../../src/index.js'
import type { Artifact } from '../../../src/service/platform/artifact.js'
import { putArtifact } from '../../../src/service/platform/put-artifact.js'
import { createModel, listEvents } from '../../support/trainer.js'
import { describeInProcess, type Api } from '../../support/transports.js'

const example = JSON.stringify({
  messages: [
    { role: 'user', content: 'What is 2 + 2?' },
    { role: 'assistant', content: 'Four.' },
  ],
})

const ADA = { user: 'ada' }

/** Puts the files of a dataset into a project. */
function log(
  { engine }: Emulator,
  files: Readonly<Record<string, string>>,
  collection = 'rows',
): Artifact {
  const place = { entity: 'local-team', project: 'verse', collection, type: 'dataset' }
  const bytes = Object.entries(files).map(([path, text]) => {
    return [path, new TextEncoder().encode(text)] as const
  })
  return putArtifact(
    engine.platformWithCheckpoints(),
    place,
    { files: Object.fromEntries(bytes) },
    ADA,
  )
}

function rows(count: number): string {
  return Array.from({ length: count }, () => `${example}\n`).join('')
}

async function train(api: Api, training_data_url: string) {
  const { id } = await createModel(api, { return_existing: true })
  const answer = await api.post('/preview/sft-training-jobs', { model_id: id, training_data_url })
  const { hint } = api.emulator.requests.all().at(-1)!
  api.emulator.clock.advance(600_000)
  const events = answer.status === 200 ? await listEvents(api, answer.body.id) : []
  return { ...answer, events, hint }
}

describeInProcess('SFT jobs on artifacts', (open) => {
  it.each([
    ['that their URL names', 'artifact:///local-team/verse/rows:v0', 6],
    ['of the latest version, if it names none', 'other:///local-team/verse/rows', 4],
  ])('train on the rows %s', async (_which, url, count) => {
    const api = await open({ scenario: 'sft' })
    log(api.emulator, { 'train.jsonl': rows(6) })
    log(api.emulator, { 'train.jsonl': rows(4) })
    const { events } = await train(api, url)
    expect(events[0]!.data).toEqual({ num_sequences: count })
  })

  it.each([
    ['artifact:///local-team/verse/rows:v7', 'rows:v7; the artifact has v0'],
    ['artifact:///local-team/verse/row:v0', 'row:v0; the project has rows'],
    ['artifact:///local-team/prose/rows:v0', 'rows:v0; the project has no artifacts'],
    [
      'artifact:///rows',
      'artifact:///rows does not name an artifact as entity/project/name:version',
    ],
  ])('refuse %s, which is not there', async (url, reason) => {
    const api = await open({ scenario: 'sft' })
    log(api.emulator, { 'train.jsonl': rows(1) })
    const { status, body } = await train(api, url)
    expect(status).toBe(400)
    expect(body.detail).toContain(reason)
  })

  it('refuse a version that was deleted, and name the newest of many others', async () => {
    const api = await open({ scenario: 'sft' })
    const refused = async () => (await train(api, 'artifact:///local-team/verse/rows:v0')).body
    const artifact = log(api.emulator, { 'train.jsonl': rows(1) })
    log(api.emulator, {}, 'others')
    api.emulator.engine.clientPlatform.artifacts.delete(artifact, { withAliases: true }, ADA)
    expect((await refused()).detail).toContain('rows:v0; the artifact has no versions')
    for (let count = 2; count < 14; count++) log(api.emulator, { 'train.jsonl': rows(count) })
    expect((await refused()).detail).toMatch(/the artifact has v12, v11, .*, v3 and 2 more$/)
  })

  it('refuse an artifact with several files of rows', async () => {
    const api = await open({ scenario: 'sft' })
    log(api.emulator, { 'a.jsonl': rows(1), 'b.jsonl': rows(1), 'readme.md': 'two files' })
    const { status, body } = await train(api, 'artifact:///local-team/verse/rows')
    expect(status).toBe(400)
    expect(body.detail).toContain(
      'has 2 .jsonl files, and must have one: a.jsonl, b.jsonl, readme.md',
    )
  })

  it('have rows that are made up while the world has no artifacts, and say so', async () => {
    const api = await open({ scenario: 'sft' })
    const { status, hint } = await train(api, 'artifact:///local-team/verse/rows:v0')
    expect(status).toBe(200)
    expect(hint).toContain('the rows are made up, because this world has no artifacts')
  })

  it('tell no key which artifacts another entity has', async () => {
    const scenario = {
      name: 'two-teams',
      auth: {
        keys: { 'key-of-bob': { user: 'bob', entity: 'other-team' } },
        separateEntities: true,
      },
    }
    const api = await open({ scenario })
    log(api.emulator, { 'train.jsonl': rows(1) })
    const headers = { authorization: 'Bearer key-of-bob' }
    const model = { project: 'verse', name: 'poet', base_model: 'example/base-8b-instruct' }
    const { body } = await api.post('/preview/models', model, { headers })
    const asked = (training_data_url: string) =>
      api.post('/preview/sft-training-jobs', { model_id: body.id, training_data_url }, { headers })
    for (const name of ['rows:v0', 'rows:v7', 'nothing:v0']) {
      const url = `artifact:///local-team/verse/${name}`
      expect(await asked(url)).toMatchObject({
        status: 400,
        body: { detail: expect.stringMatching(new RegExp(`there is no artifact ${url}$`)) },
      })
    }
  })
})
