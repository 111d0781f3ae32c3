import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import type { Emulator } from '../../../src/index.js'
import { openEmulator } from '../../emulator/open-emulator.js'
import { harSchema } from './har-schema.js'

const isHar = new Ajv({ strict: false }).compile(harSchema)

async function chat(emulator: Emulator, stream: boolean, key = 'a-key-of-a-client'): Promise<void> {
  const response = await emulator.fetch(`${emulator.inferenceUrl}/chat/completions?trace=1`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'OpenPipe/Qwen3-14B-Instruct',
      messages: [{ role: 'user', content: 'Hello' }],
      stream,
    }),
  })
  await response.text()
}

describe('emulator.har', () => {
  it('follows HAR 1.2, without keys', async () => {
    const emulator = openEmulator({ serveAnyModel: true })
    await chat(emulator, false)
    await chat(emulator, true)
    emulator.faults.add({ fault: 'drop', name: 'gone', match: { operation: 'listServedModels' } })
    const headers = { authorization: 'Bearer any' }
    await emulator.fetch(`${emulator.inferenceUrl}/models`, { headers }).catch(() => undefined)
    const har = await emulator.har()
    isHar(har)
    expect(isHar.errors).toBeNull()
    expect(JSON.parse(JSON.stringify(har))).toEqual(har)
    expect(JSON.stringify(har)).not.toContain('a-key-of-a-client')
    const [answered, streamed, lost] = har.log.entries
    expect(answered).toMatchObject({
      request: {
        method: 'POST',
        url: `${emulator.inferenceUrl}/chat/completions?trace=1`,
        queryString: [{ name: 'trace', value: '1' }],
        postData: { mimeType: 'application/json' },
      },
      response: { status: 200, content: { mimeType: 'application/json' } },
      _svtrain: { id: 1, operation: 'createInferenceChatCompletion', lost: null, world: null },
    })
    expect(answered!.request.headers).toContainEqual({
      name: 'authorization',
      value: 'Bearer [not shown]',
    })
    expect(JSON.parse(answered!.response.content.text)).toHaveProperty('choices')
    expect(streamed!.response.content.text).toMatch(/^data: [\s\S]*data: \[DONE\]/)
    expect(lost).toMatchObject({
      response: { status: 0, statusText: 'connection dropped', content: { size: 0, text: '' } },
      _svtrain: { lost: 'disconnect', faults: [{ name: 'gone', fault: 'drop' }] },
    })
  })

  it('has a page for each world', async () => {
    const emulator = openEmulator({ serveAnyModel: true, isolate: 'api-key' })
    await chat(emulator, false, 'first-key')
    await chat(emulator, false, 'second-key')
    const har = await emulator.har()
    isHar(har)
    expect(isHar.errors).toBeNull()
    expect(har.log.pages!.map(({ id }) => id)).toEqual(['world-1', 'world-2'])
    expect(har.log.entries.map(({ pageref }) => pageref)).toEqual(['world-1', 'world-2'])
  })

  it('is empty before the first request', async () => {
    const har = await openEmulator().har()
    isHar(har)
    expect(isHar.errors).toBeNull()
    expect(har.log.entries).toEqual([])
  })
})
