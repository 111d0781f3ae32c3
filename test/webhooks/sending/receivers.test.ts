import { describe, expect, it } from 'vitest'
import { Webhook } from 'standardwebhooks'
import { createEmulator, createWebhookSink, defaultWebhooks } from '../../../src/index.js'
import { sign, verify } from '../../../src/webhooks.js'
import { SECRET, startReceiver } from '../../support/receiver.js'
import { submit } from '../../support/trainer.js'
import { withHook } from './world.js'

/** Bodies that a careless receiver would decode and encode again. */
const awkward = 'ünïcode "quoted" \\ \u2028 \u0000 <&>'

describe('a receiver that verifies deliveries', () => {
  it('gets the bytes that are signed, whatever their characters are', async () => {
    const receiver = await startReceiver()
    const automation = { name: 'it', webhook: 'hook', payload: { tag: '${tag}' } }
    const emulator = withHook(
      receiver,
      { adversary: [{ do: 'wrong_secret', deliveries: 2 }] },
      { automations: [{ ...automation, event: 'ADD_ARTIFACT_TAG' }] },
    )
    for (const tag of [awkward, awkward]) await emulator.trigger('ADD_ARTIFACT_TAG', { tag })
    await emulator.webhooks.idle()
    expect(receiver.received.map(({ valid }) => valid)).toEqual([true, false])
    expect(receiver.bodies()).toEqual([{ tag: awkward }, { tag: awkward }])
  })

  it.each([SECRET, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'])(
    'can expect Standard Webhooks, with the secret %s',
    async (secret) => {
      const verifier = secret.startsWith('whsec_')
        ? new Webhook(secret)
        : new Webhook(secret, { format: 'raw' })
      const receiver = await startReceiver((response, { body, headers }) => {
        const read = (): unknown =>
          verifier.verify(body.toString(), headers as Record<string, string>)
        expect(read).not.toThrow()
        response.end(JSON.stringify(read()))
      })
      const emulator = withHook(
        receiver,
        { signature: { standard: true } },
        { secrets: { SECRET: secret } },
      )
      await submit(emulator)
      await emulator.settle()
      const [first] = emulator.webhooks.deliveries
      expect(first!.attempts[0]).toMatchObject({ status: 200, answer: '{"state":"running"}' })
      expect(first!.attempts[0]!.headers['webhook-id']).toBe(first!.id)
    },
  )

  it.each([
    ['v1,whsec_c2VjcmV0', 'has a text in front of whsec_: leave it out'],
    ['"whsec_c2VjcmV0"', 'has a text in front of whsec_: leave it out'],
    ['whsec_not base64!', 'begins with whsec_, but what follows is not base64'],
    ['whsec_c2VjcmV', 'begins with whsec_, but what follows is not base64'],
  ])(
    'cannot verify with the secret %s, so it is refused wherever a secret is given',
    async (secret, why) => {
      const url = 'http://127.0.0.1:1/'
      const emulator = withHook({ url })
      const given: (() => unknown)[] = [
        () => withHook({ url }, {}, { secrets: { SECRET: secret } }),
        () => createEmulator({ webhooks: [{ url, secret }] }),
        () => createWebhookSink({ secrets: secret }),
        () => createWebhookSink({ secrets: { old: secret } }),
        () => emulator.webhooks.add({ url, secret }),
        () => emulator.webhooks.add({ secrets: { OTHER: secret } }),
        () => emulator.webhooks.setSecret('SECRET', secret),
        () => defaultWebhooks({ url, secret }),
      ]
      for (const give of given) {
        expect(give).toThrow(why)
        expect(give).not.toThrow(secret)
      }
      await expect(sign('{}', secret)).rejects.toThrow(why)
      await expect(verify({ body: '{}', headers: {} }, { secrets: [secret] })).rejects.toThrow(why)
    },
  )
})
