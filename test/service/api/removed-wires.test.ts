import { expect, it } from 'vitest'
import { describeTransports } from '../../support/transports.js'

/** Forms of chats that 0.2 could serve, and that the service does not have. */
const paths = ['/completions', '/responses', '/messages', '/messages/count_tokens']

describeTransports('the paths of removed wires', (open) => {
  it.each(paths)('%s answers as an unknown path does', async (path) => {
    const { inference, post } = await open()
    const body = { model: 'example/base-8b-instruct', prompt: 'Hello' }
    const unknown = await inference.post('/no-such-path', body)
    expect(unknown.status).toBe(404)
    expect(await inference.post(path, body)).toMatchObject({ status: 404, body: unknown.body })
    expect(await post(path, body)).toMatchObject({ status: 404, body: { detail: 'Not Found' } })
  })
})
