import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { RecordingLine } from '../../src/tools/recording/recording.js'
import { startReceiver } from '../support/receiver.js'
import { served } from '../support/served.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { until } from '../support/until.js'
import { assertBuilt, Command, start } from './command.js'

beforeAll(assertBuilt)

/** A service that refuses everything. */
async function refusingService(status: number): Promise<string> {
  const url = await served((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end('{"error":{"message":"boom happened"}}')
    })
  })
  return `${url}/v1`
}

/** Words that differ, so that nothing of the text repeats. */
function words(length: number): string {
  return Array.from({ length: length / 6 }, (_, index) => `w${index}`.padEnd(5, 'x')).join(' ')
}

describe('the record command', () => {
  it('survives long chats that the service refuses, and records them', async () => {
    const to = join(temporaryFolder(), 'recording')
    const url = await refusingService(500)
    const command = new Command([
      'record',
      `--to=${to}`,
      `--training-url=${url}`,
      '--port=0',
      '--inference-port=0',
    ])
    const { inference } = await command.ready()
    const sizes = [7000, 12_000, 40_000]
    for (const size of sizes) {
      const answer = await fetch(`${inference}/chat/completions`, {
        method: 'POST',
        headers: {
          authorization: 'Bearer sk-0123456789abcdefghij',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: words(size) }] }),
      })
      expect(answer.status).toBe(500)
      expect(await answer.json()).toEqual({ error: { message: 'boom happened' } })
    }
    const lines = (): RecordingLine[] => {
      const text = readFileSync(join(to, 'recording.ndjson'), 'utf8')
      return text.trimEnd().split('\n').map((line) => JSON.parse(line) as RecordingLine) // oxfmt-ignore
    }
    await until('all calls are recorded', () => {
      return lines().filter(({ type }) => type === 'end').length === sizes.length
    })
    const recorded = JSON.stringify(lines())
    expect(recorded).not.toContain('sk-0123456789abcdefghij')
    expect(recorded).not.toContain('w17xx w18xx')
    command.process.kill('SIGINT')
    expect(await command.ended()).toBe(0)
  })
})

describe('the emulator', () => {
  it.each([7000, 100_000])(
    'survives a receiver that refuses deliveries signed with a secret of %i characters',
    async (length) => {
      const receiver = await startReceiver((response, { headers }) => {
        response.writeHead(500).end(`no: ${String(headers['x-service-signature'])}`)
      })
      const command = start(['--webhook', receiver.url])
      const { training } = await command.ready()
      const control = training.replace(/\/v1$/, '/_emulator')
      const headers = { 'content-type': 'application/json' }
      const certificate = words(length)
      const set = await fetch(`${control}/secrets`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ name: 'CERTIFICATE', value: certificate }),
      })
      expect(set.status).toBeLessThan(300)
      const triggered = await fetch(`${control}/trigger`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ event: 'RUN_STATE', state: 'failed' }),
      })
      expect(triggered.status).toBe(200)
      await until('the delivery is refused', () => receiver.received.length > 0)
      await command.says(/RUN_STATE failed to receiver/)
      const info = await fetch(`${control}/info`)
      expect(info.status).toBe(200)
      expect(command.stdout).not.toContain(certificate.slice(0, 100))
      command.process.kill('SIGINT')
      expect(await command.ended()).toBe(0)
    },
  )
})
