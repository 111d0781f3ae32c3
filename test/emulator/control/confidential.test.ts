import { expect, it } from 'vitest'
import { createWebhookSink } from '../../../src/index.js'
import { startReceiver } from '../../support/receiver.js'
import { exitsOf } from '../exits.js'
import { controlled } from './control.js'

const SECRETS = {
  signing: 'the-signing "secret"',
  rotated: 'the-secret-before',
  token: 'the-access-token',
  key: 'an-api-key-of-ann',
  scoped: 'a-key-in-a-fault',
  password: 'in-the-url',
  receiver: 'the-secret-of-an-option',
  sink: 'the-token-of-the-sink',
}

/** Any of the secrets. */
const SHOWN = new RegExp(Object.values(SECRETS).join('|'))

it('no exit shows a secret of the emulator, its scenario or its webhooks', async () => {
  // A receiver that sends back everything that it receives.
  const receiver = await startReceiver((response, { headers, body }) => {
    response.writeHead(500).end(`${headers.authorization} ${body.toString()}`)
  })
  const { emulator, call } = controlled({
    apiKeys: [SECRETS.key],
    webhooks: [{ url: `http://bob:${SECRETS.password}@127.0.0.1:9/`, secret: SECRETS.receiver }],
    scenario: {
      name: 'guarded',
      auth: { keys: { [SECRETS.scoped]: { user: 'ann' } } },
      secrets: { SIGNING: SECRETS.rotated, TOKEN: SECRETS.token },
      webhooks: [
        { name: 'hook', url: receiver.url, secret: 'SIGNING', access_token: 'TOKEN' },
        { name: 'other', url: `http://ann:${SECRETS.password}@127.0.0.1:9/` },
      ],
      automations: [
        {
          name: 'states',
          webhook: 'hook',
          event: 'RUN_STATE',
          payload: { told: '${TOKEN} ${SIGNING} ${ACCESS_TOKEN}' },
        },
        { name: 'others', webhook: 'other', event: 'RUN_STATE' },
      ],
      faults: [{ fault: 'status', status: 503, match: { key: SECRETS.scoped } }],
    },
  })
  const sink = createWebhookSink({ token: SECRETS.sink })
  emulator.attach(sink)
  const authorization = `Bearer ${SECRETS.key}`
  await call('POST /trigger', { event: 'RUN_STATE' })
  await call('POST /secrets', { name: 'SIGNING', value: SECRETS.signing })
  await call('POST /jobs', {})
  await emulator.settle()
  const [delivery] = emulator.webhooks.deliveries
  const sent = { method: 'POST', headers: { authorization }, body: delivery!.body.slice() }
  await sink.fetch(`${sink.url}/hook`, sent)
  await emulator.fetch(`${emulator.trainingUrl}/health`, { headers: { authorization } })
  const quoting = JSON.stringify({ name: SECRETS.key, project: SECRETS.signing })
  const headers = { authorization, 'content-type': 'application/json', cookie: SECRETS.key }
  const init = { method: 'POST', headers, body: quoting }
  await emulator.fetch(`${emulator.trainingUrl}/preview/models`, init)
  const { body: tested } = await call('POST /webhooks/hook/test', { payload: '"${SECRET_NAME}"' })

  const told: string[] = [JSON.stringify(tested)]
  for (const exit of exitsOf(emulator).values()) told.push(await exit())
  const find = () => emulator.requests.find({ headers: { authorization: SECRETS.scoped } })
  for (const refused of [find, () => emulator.assertNothingPending()]) {
    expect(refused).toThrow(expect.objectContaining({ message: expect.not.stringMatching(SHOWN) }))
  }
  // The receiver got the secrets, and the answers show where they were removed.
  expect(receiver.received[0]!.body.toString()).toContain(SECRETS.rotated)
  expect(told.join('\n').match(/\[not shown\]/g)!.length).toBeGreaterThan(10)
  for (const secret of Object.values(SECRETS)) {
    expect(told.filter((text) => text.includes(secret))).toEqual([])
    const written = JSON.stringify(secret).slice(1, -1)
    expect(told.filter((text) => text.includes(written))).toEqual([])
  }
})
