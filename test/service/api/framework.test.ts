import { expect, it } from 'vitest'
import { describeTransports, type Api } from '../../support/transports.js'

const versions = ['fastapi-0.131', 'fastapi-0.142', 'fastapi-0.165'] as const

async function withFramework(
  open: (options: object) => Promise<Api>,
  framework: string,
): Promise<Api> {
  return open({ scenario: { name: 'mine', framework } })
}

async function problem(api: Api, path: string, sent: { body: string; type?: string }) {
  const headers: Record<string, string> = { authorization: 'Bearer any' }
  if (sent.type !== undefined) headers['content-type'] = sent.type
  const body = new TextEncoder().encode(sent.body)
  const init = { method: 'POST', headers, body }
  const response = await api.fetch(`${api.emulator.trainingUrl}${path}`, init)
  const { detail } = (await response.json()) as { detail: { type: string; msg: string }[] }
  return { status: response.status, ...detail[0] }
}

const NO_OBJECT = 'Input should be a valid dictionary or object to extract fields from'
const json = 'application/json'

describeTransports('the version of the framework', (open) => {
  it('decides whether a body without a content type is read as JSON', async () => {
    for (const version of versions) {
      const api = await withFramework(open, version)
      const found = await problem(api, '/preview/models', { body: '{}' })
      const isRead = version === 'fastapi-0.131'
      expect([version, found]).toMatchObject([
        version,
        isRead
          ? { status: 422, type: 'missing', loc: ['body', 'project'] }
          : { status: 422, type: 'model_attributes_type', loc: ['body'], input: '{}' },
      ])
    }
  })

  it('decides the words for a body that is null', async () => {
    for (const version of versions) {
      const api = await withFramework(open, version)
      const found = await problem(api, '/preview/models', { body: 'null', type: json })
      const isNew = version === 'fastapi-0.165'
      expect([version, found]).toMatchObject([
        version,
        isNew
          ? { type: 'model_attributes_type', loc: ['body'], msg: NO_OBJECT, input: null }
          : { type: 'missing', loc: ['body'], msg: 'Field required', input: null },
      ])
      // A missing body is another thing.
      const none = await problem(api, '/preview/models', { body: '', type: json })
      expect(none).toMatchObject({ type: 'missing', input: null })
    }
  })

  it.each([
    ['abc', 'invalid length: expected length 32 for simple format, found 3'],
    ['zz', 'invalid character: found `z` at 1'],
    ['{zz}', 'invalid character: found `z` at 2'],
  ])('decides the words for %s, which is not a UUID', async (model_id, older) => {
    const newer = older
      .replace('expected length 32 for simple format, ', '')
      .replace(/at (\d)/, (_, place: string) => `at ${Number(place) - 1}`)
    for (const version of versions) {
      const api = await withFramework(open, version)
      const body = JSON.stringify({ model_id, trajectory_groups: [] })
      const error = version === 'fastapi-0.165' ? newer : older
      expect(await problem(api, '/preview/training-jobs', { body, type: json })).toMatchObject({
        type: 'uuid_parsing',
        msg: `Input should be a valid UUID, ${error}`,
        input: model_id,
        ctx: { error },
      })
    }
  })

  it('leaves the OpenAPI document as it is', async () => {
    const [older, , newer] = await Promise.all(
      versions.map(async (version) => {
        const api = await withFramework(open, version)
        const { trainingUrl } = api.emulator
        return (await api.fetch(`${new URL(trainingUrl).origin}/openapi.json`)).text()
      }),
    )
    expect(newer).toBe(older)
  })
})
