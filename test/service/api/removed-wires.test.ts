import { describe, expect, it } from 'vitest'
import { createEmulator, type EmulatorOptions, type ScenarioInput } from '../../../src/index.js'
import { describeTransports } from '../../support/transports.js'

/** Forms of chats that 0.2 could serve, and that the service does not have. */
const paths = ['/completions', '/responses', '/messages', '/messages/count_tokens']

const removed =
  'was removed in 0.3: the service has no such wire; leave it out, and send chats to /v1/chat/completions.'

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

describe('what turned removed wires on', () => {
  it('is refused as an option', () => {
    const options = { extensions: ['responses'] } as EmulatorOptions
    expect(() => createEmulator(options)).toThrow(`createEmulator: option "extensions" ${removed}`)
  })

  it('is refused as a key of a scenario, and not taken for another key', () => {
    const scenario = { name: 'mine', extensions: ['responses'] } as ScenarioInput
    expect(() => createEmulator({ scenario })).toThrow(
      `The scenario cannot be used:\n  extensions: "extensions" ${removed}`,
    )
  })
})
