import express from 'express'
import { describe, expect, it } from 'vitest'
import { expressHandler, type Middleware } from '../../../src/index.js'
import { jsonHeaders } from '../../support/api-client.js'
import { served } from '../../support/served.js'
import { openEmulator } from '../open-emulator.js'

const headers = jsonHeaders()
const model = { project: 'p', name: 'm', base_model: 'example/base-8b-instruct' }

async function createModel(v1: string, body: unknown = model): Promise<Response> {
  const init = { method: 'POST', headers, body: JSON.stringify(body) }
  return fetch(`${v1}/preview/models`, init)
}

describe("a user's own app", () => {
  it('can mount the API under any path', async () => {
    const app = express()
    app.use('/svtrain', expressHandler(openEmulator()))
    app.use('/inference', expressHandler(openEmulator(), 'inference'))
    app.get('/own', (_request, response) => void response.json('mine'))
    const url = await served(app)
    expect((await createModel(`${url}/svtrain/v1`)).status).toBe(200)
    expect((await fetch(`${url}/inference/v1/models`, { headers })).status).toBe(200)
    expect(await (await fetch(`${url}/own`)).json()).toBe('mine')
    expect((await fetch(`${url}/svtrain/own`)).status).toBe(404)
  })

  it('redirects to a path below the mount point', async () => {
    const app = express()
    app.use('/svtrain', expressHandler(openEmulator()))
    const url = await served(app)
    const asked = `${url}/svtrain/v1/health/?a=b`
    const response = await fetch(asked, { headers, redirect: 'manual' })
    expect(response.status).toBe(307)
    expect(response.headers.get('location')).toBe(`${url}/svtrain/v1/health?a=b`)
    expect((await fetch(asked, { headers })).status).toBe(200)
  })

  it('redirects with the scheme that a proxy names', async () => {
    const app = express().set('trust proxy', 'loopback')
    app.use(expressHandler(openEmulator()))
    const url = await served(app)
    const response = await fetch(`${url}/v1/health/`, {
      headers: { ...headers, 'x-forwarded-proto': 'https' },
      redirect: 'manual',
    })
    expect(response.headers.get('location')).toBe(`${url.replace('http', 'https')}/v1/health`)
  })

  it.each([
    ['express.json()', express.json()],
    ['express.text()', express.text({ type: '*/*' })],
    ['express.raw()', express.raw({ type: '*/*' })],
    ['express.urlencoded()', express.urlencoded()],
  ])('can use %s before the API', async (_name, parser) => {
    const app = express()
    app.use(parser)
    app.use(expressHandler(openEmulator()))
    const url = await served(app)
    const created = await createModel(`${url}/v1`, { ...model, name: 'größer' })
    expect(created.status).toBe(200)
    expect(await created.json()).toMatchObject({ name: 'größer' })
    const { id } = (await (await createModel(`${url}/v1`)).json()) as { id: string }
    const deleted = await fetch(`${url}/v1/preview/models/${id}`, { method: 'DELETE', headers })
    expect(deleted.ok).toBe(true)
  })
})

describe('middleware', () => {
  it('runs before the API, on both ports', async () => {
    const seen: string[] = []
    const layer: Middleware = ({ url = '' }, response, next) => {
      seen.push(url)
      response.setHeader('x-layer', 'yes')
      next()
    }
    const { port, inferencePort } = await openEmulator().listen({ use: [layer] })
    const health = await fetch(`http://127.0.0.1:${port}/v1/health`, { headers })
    expect(health.status).toBe(200)
    expect(health.headers.get('x-layer')).toBe('yes')
    await fetch(`http://127.0.0.1:${inferencePort}/v1/models`, { headers })
    expect(seen).toEqual(['/v1/health', '/v1/models'])
  })

  it('can answer a request itself', async () => {
    const mounted = openEmulator()
    const { port } = await mounted.listen({
      use: [(_request, response) => void response.writeHead(418).end('mine')],
    })
    const response = await createModel(`http://127.0.0.1:${port}/v1`)
    expect(response.status).toBe(418)
    expect(await response.text()).toBe('mine')
    expect(mounted.journal.entries).toEqual([])
  })

  it('that answers and calls next() sends only its own answer', async () => {
    const { port } = await openEmulator().listen({
      use: [
        (_request, response, next) => {
          response.end('mine')
          next()
        },
      ],
    })
    const url = `http://127.0.0.1:${port}/v1`
    expect(await (await createModel(url)).text()).toBe('mine')
    // And the server still stands.
    expect(await (await createModel(url)).text()).toBe('mine')
  })
})
