import { expect, it } from 'vitest'
import { operations } from '../../../src/index.js'
import { describeTransports } from '../../support/transports.js'

interface Described {
  readonly responses: Readonly<Record<string, { readonly description?: string }>>
}

describeTransports('the OpenAPI document', (open) => {
  it('describes every listed operation of each host, without a key', async () => {
    const api = await open()
    for (const [host, url] of [
      ['training', api.emulator.trainingUrl],
      ['inference', api.emulator.inferenceUrl],
    ] as const) {
      const response = await api.fetch(new URL('/openapi.json', url))
      const { paths, openapi } = await response.json()
      expect(openapi).toBe('3.1.0')
      const described = Object.entries(paths).flatMap(([path, methods]) =>
        Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
      )
      const listed = operations.filter((row) => row.host === host && !row.unlisted)
      expect(described.sort()).toEqual(listed.map(({ method, path }) => `${method} ${path}`).sort())
    }
  })

  it("names operations as the service's own document does", async () => {
    const api = await open()
    const response = await api.fetch(new URL('/openapi.json', api.emulator.trainingUrl))
    const { paths } = await response.json()
    expect(paths['/v1/preview/training-jobs'].post.operationId).toBe(
      'Create_RL_Training_Job_v1_preview_training_jobs_post',
    )
    expect(paths['/v1/preview/models/{model_id}/checkpoints'].get.operationId).toBe(
      'list_model_checkpoints_v1_preview_models__model_id__checkpoints_get',
    )
    expect(paths['/v1/chat/completions/'].post.operationId).toBe(
      'create_chat_completion_v1_chat_completions__post',
    )
  })

  it('refers only to schemas that it contains', async () => {
    const api = await open()
    const response = await api.fetch(new URL('/openapi.json', api.emulator.trainingUrl))
    const text = await response.text()
    const { components } = JSON.parse(text)
    const referred = [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(
      ([, name]) => name,
    )
    expect(referred.length).toBeGreaterThan(50)
    for (const name of referred) expect(components.schemas).toHaveProperty([name!])
  })

  it('describes how the control API refuses a call', async () => {
    const api = await open()
    const response = await api.fetch(new URL('/_emulator/openapi.json', api.emulator.trainingUrl))
    const { paths, components } = await response.json()
    expect(paths['/_emulator/jobs'].post.responses['400']).toEqual({
      description: 'Validation Error',
      content: {
        'application/json': { schema: { $ref: '#/components/schemas/ControlProblem' } },
      },
    })
    expect(components.schemas.ControlProblem.properties.detail.type).toBe('string')
    const methods = Object.values<Record<string, Described>>(paths).flatMap(
      Object.values<Described>,
    )
    const answers = methods.flatMap(({ responses }) => Object.values(responses))
    expect(answers.filter(({ description }) => !description)).toEqual([])
    expect(paths['/_emulator/stream'].get.responses['200'].content).toEqual({
      'text/event-stream': { schema: { anyOf: expect.any(Array) } },
    })
    expect(Object.keys(paths['/_emulator/trace'].get.responses['200'].content)).toEqual([
      'application/json',
      'text/plain',
    ])
  })

  it('is at the control API, in any contract', async () => {
    const { emulator, fetch } = await open({ contract: '2026-01' })
    const { trainingUrl, inferenceUrl } = emulator
    const read = async (path: string, url = trainingUrl) => (await fetch(new URL(path, url))).text()
    const own = await read('/openapi.json')
    const served = '/_emulator/openapi'
    expect(await read(`${served}/training.json`)).toBe(own)
    expect(await read(`${served}/training.json?contract=2026-01`)).toBe(own)
    const inference = await read('/openapi.json', inferenceUrl)
    expect(await read(`${served}/inference.json`)).toBe(inference)
    const newest = await read(`${served}/training.json?contract=2026-11`)
    const other = await open({ contract: '2026-11' })
    const theirs = await other.fetch(new URL('/openapi.json', other.emulator.trainingUrl))
    expect(newest).toBe(await theirs.text())
  })

  it.each([
    [
      'openapi/trainig.json',
      404,
      'There is no "trainig.json". Did you mean "training.json"? There are: training.json, inference.json.',
    ],
    [
      'openapi/training.json?contract=2026-10',
      400,
      'query.contract: "2026-10" is not allowed here. In 2026-10, "2026-01" was in force. Allowed: 2026-01, 2026-11.',
    ],
  ])('has no document %s', async (path, status, detail) => {
    const { emulator, fetch } = await open()
    const response = await fetch(new URL(`/_emulator/${path}`, emulator.trainingUrl))
    expect({ status: response.status, body: await response.json() }).toEqual({
      status,
      body: { detail },
    })
  })
})
