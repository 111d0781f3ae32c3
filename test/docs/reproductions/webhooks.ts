import { createHmac } from 'node:crypto'
import { freePort } from '../../../src/cli/receiver-port.js'
import { createEmulator, createWebhookSink, type Emulator } from '../../../src/index.js'
import { sign } from '../../../src/webhooks.js'
import { Command } from '../../cli/command.js'
import { SECRET, startReceiver } from '../../support/receiver.js'
import { errorOf, type Reproductions } from './reproduction.js'

async function trained(webhooks: { url: string; secret: string }[]): Promise<Emulator> {
  const emulator = createEmulator({ webhooks })
  await emulator.jobs.start({ model: 'poet' })
  await emulator.settle()
  return emulator
}

/** What a sink with the secret `s3cret` says about a body with this signature. */
async function diagnosisOf(text: string, signature: string): Promise<string> {
  const sink = createWebhookSink({ secrets: 's3cret' })
  const headers = { 'Content-Type': 'application/json', 'X-Service-Signature': signature }
  await sink.fetch(sink.url, { method: 'POST', headers, body: text })
  const [delivery] = sink.deliveries
  return delivery!.diagnosis?.text ?? delivery!.verdict
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

export const webhooks: Reproductions = {
  'Nothing was received at all.': async () => {
    const emulator = createEmulator({ scenario: 'failing-job' })
    const sink = emulator.createSink()
    const failed = { event: 'RUN_STATE', body: { run_state: 'failed' } }
    const said = await errorOf(() => sink.waitFor(failed, { timeout: '1s' }))
    await emulator.jobs.start({ model: 'poet' })
    await emulator.settle()
    return { said, isFixed: (await sink.waitFor(failed)).length === 1 }
  },

  'connect ECONNREFUSED': async () => {
    const nobody = `http://127.0.0.1:${await freePort()}/hook`
    const said = (await trained([{ url: nobody, secret: SECRET }])).trace()
    const { url, received } = await startReceiver()
    await trained([{ url, secret: SECRET }])
    return { said, isFixed: received.length > 0 }
  },

  'which disables a webhook': async () => {
    let status = 410
    const { url, received } = await startReceiver((response) => {
      response.writeHead(status).end()
    })
    const emulator = await trained([{ url, secret: SECRET }])
    const said = emulator.trace()
    const before = received.length
    status = 200
    emulator.webhooks.enable('receiver')
    await emulator.jobs.start({ model: 'poet' })
    await emulator.settle()
    return { said, isFixed: before === 1 && received.length > 1 }
  },

  'Your receiver expects': async () => {
    const expecting = await startReceiver((response, { headers, body }) => {
      const expected = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`
      response.writeHead(headers['x-service-signature'] === expected ? 200 : 401).end()
    })
    const check = async (url: string): Promise<string> => {
      const ran = new Command(['check-receiver', url, '--secret', SECRET])
      await ran.ended()
      return ran.output
    }
    const said = await check(expecting.url)
    const correct = await startReceiver((response, { valid }) => {
      response.writeHead(valid ? 200 : 401).end()
    })
    return { said, isFixed: !(await check(correct.url)).includes('Your receiver expects') }
  },

  unverifiable: async () => {
    const signature = await sign(bytes('{}'), 's3cret')
    const headers = { 'Content-Type': 'application/json', 'X-Service-Signature': signature }
    const sink = createWebhookSink()
    await sink.fetch(sink.url, { method: 'POST', headers, body: '{}' })
    return {
      said: sink.deliveries[0]!.verdict,
      isFixed: (await diagnosisOf('{}', signature)) === 'valid',
    }
  },

  'It was made over re-serialized JSON': async () => {
    const sent = '{"n": 1}'
    const parsed = JSON.stringify(JSON.parse(sent))
    return {
      said: await diagnosisOf(sent, await sign(bytes(parsed), 's3cret')),
      isFixed: (await diagnosisOf(sent, await sign(bytes(sent), 's3cret'))) === 'valid',
    }
  },

  'It was signed with the secret and a line end after it.': async () => {
    const secret = 's3cret\n'
    return {
      said: await diagnosisOf('{}', await sign(bytes('{}'), secret)),
      isFixed: (await diagnosisOf('{}', await sign(bytes('{}'), secret.trim()))) === 'valid',
    }
  },
}
