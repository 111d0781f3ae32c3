import { http, HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { handlers } from '../../../src/msw.js'
import {
  createEmulator,
  type EmulatorOptions,
  type ScenarioInput,
  type WebhookReceiver,
} from '../../../src/index.js'
import { openEmulator } from '../../emulator/open-emulator.js'
import { SECRET, startReceiver } from '../../support/receiver.js'
import { submit } from '../../support/trainer.js'
import { withHook } from './world.js'

describe('webhooks', () => {
  it('are tested with any variable and the stored credentials, and the test is not recorded', async () => {
    const receiver = await startReceiver((response) => response.writeHead(415).end('not this'))
    const emulator = withHook(receiver, { access_token: 'TOKEN' })
    const result = await emulator.webhooks.test('hook', {
      token: '${ACCESS_TOKEN}',
      same: '${TOKEN}',
      secret: '${SECRET}',
      unknown: '${constructor}',
    })
    expect(result).toMatchObject({ status: 415, answer: 'not this' })
    expect(receiver.received[0]).toMatchObject({ valid: true })
    expect(receiver.bodies()).toEqual([
      { token: 'a-token', same: 'a-token', secret: SECRET, unknown: '' },
    ])
    expect(emulator.webhooks.deliveries).toEqual([])
    await expect(emulator.webhooks.test('hok')).rejects.toThrow('Did you mean "hook"?')
  })

  it('are named when a secret is set that none of them uses', () => {
    const emulator = createEmulator({ webhooks: ['http://127.0.0.1:9/hook'] })
    emulator.webhooks.setSecret('RECEIVER_SECRET', 'rotated')
    emulator.webhooks.setSecret('RECEIVER_SECRT', 'rotated')
    const unused = 'no webhook signs with it; webhooks use RECEIVER_SECRET.'
    expect(emulator.journal.entries).toMatchObject([
      { kind: 'note', text: `secret RECEIVER_SECRT: ${unused} Did you mean "RECEIVER_SECRET"?` },
    ])
    const alone = createEmulator()
    alone.webhooks.setSecret('LATER', 'for a webhook that is added later')
    expect(alone.journal.entries).toEqual([])
  })

  it('report why a test could not be signed', async () => {
    const emulator = withHook(await startReceiver())
    const importKey = vi.spyOn(crypto.subtle, 'importKey')
    importKey.mockRejectedValueOnce(new Error('no key'))
    onTestFinished(() => importKey.mockRestore())
    const error = 'not sent: signing failed: no key'
    expect(await emulator.webhooks.test('hook')).toEqual({ took: 0, error })
    expect(await emulator.webhooks.test('hook')).toMatchObject({ status: 200 })
  })

  it('have signature rules by name, until they are removed', async () => {
    const emulator = withHook(await startReceiver())
    expect(emulator.webhooks.rulesOf('hook')).toMatchObject({ secrets: SECRET, encoding: 'hex' })
    emulator.webhooks.remove('hook')
    expect(emulator.webhooks.rulesOf('hook')).toBeUndefined()
  })

  it('return a delivery by its id', async () => {
    const emulator = withHook(await startReceiver())
    const [delivery] = await emulator.trigger('RUN_STATE', { state: 'finished', run: 'x' })
    expect(emulator.webhooks.delivery(delivery!.id)).toBe(delivery)
    expect(emulator.webhooks.delivery('no id')).toBeUndefined()
    await expect(emulator.webhooks.resend('no id')).rejects.toThrow(
      'no delivery has the id "no id"; there are 1',
    )
  })

  it('are added by the URL of a receiver, with what goes wrong', async () => {
    const [receiver, other] = [await startReceiver(), await startReceiver()]
    const emulator = openEmulator({ scenario: 'fails-at-once' })
    emulator.webhooks.add({ url: receiver.url, secret: 'replaced' })
    emulator.webhooks.add({ url: receiver.url, secret: SECRET, adversary: [{ do: 'duplicate' }] })
    emulator.webhooks.add({ url: other.url })
    await submit(emulator)
    await emulator.settle()
    const heard = receiver.received.map(({ valid, body }) => [valid, body.includes('failed')])
    expect(heard).toEqual([false, false, true, true].map((isEnd) => [true, isEnd]))
    expect(other.received).toHaveLength(2)
    expect(emulator.webhooks.parts.webhooks.map(({ name }) => name)).toEqual([
      'receiver',
      'receiver-2',
    ])
    emulator.assertClientChecks()
    expect(() => {
      emulator.webhooks.add({ url: receiver.url, secrte: SECRET } as never)
    }).toThrow('webhooks.add: unknown option "secrte". Did you mean "secret"?')
    expect(() => {
      emulator.webhooks.add({ ulr: receiver.url } as never)
    }).toThrow('webhooks.add: unknown option "ulr". Did you mean "url"?')
  })

  const states = { event: 'RUN_STATE' as const, webhook: 'hook' }
  const several: ScenarioInput = {
    name: 'several',
    webhooks: [{ name: 'one' }, { name: 'two' }],
    automations: ['one', 'two'].map((webhook) => {
      return { ...states, name: `for-${webhook}`, webhook, states: ['running'] }
    }),
  }
  const unnamed = { name: 'mine', webhooks: [{ name: 'hook', url: 'http://127.0.0.1:9/' }] }
  const never: ScenarioInput = {
    ...unnamed,
    auth: { keys: { 'key-of-ada': { user: 'ada', entity: 'research' } } },
    automations: [
      { ...states, name: 'in-a-registry', scope: { registry: 'models' } },
      { ...states, name: 'of-bob', run: { user: 'bob' } },
      { ...states, name: 'of-ada', run: { user: 'ada' } },
    ],
  }

  it.each<[NonNullable<EmulatorOptions['scenario']>, RegExp[], hasSink?: true]>([
    ['webhook-storm', [/the webhook receiver has no URL, so nothing is sent: set its url/]],
    ['webhook-storm', [], true],
    [several, [/^[^;]*the webhooks one, two have no URL, so nothing is sent: [^;]*$/]],
    [unnamed, [/the webhook hook gets nothing, because no automation names it yet/]],
    [
      never,
      [
        /the automation in-a-registry cannot fire: runs are in no registry, so leave out scope\.registry; the automation of-bob cannot fire: no key belongs to the user bob; there are ada\./,
      ],
    ],
    ['happy-path', []],
  ])('that get nothing are named once, and those of a sink are not', async (...given) => {
    const [scenario, expected, hasSink] = given
    const emulator = createEmulator({ scenario })
    if (hasSink) emulator.createSink()
    for (const model of ['poet', 'poet']) await emulator.jobs.start({ model })
    await emulator.settle()
    const told = emulator.journal.entries.flatMap((entry) => {
      return entry.kind === 'note' && entry.warning?.name === 'idle-webhooks' ? entry.text : []
    })
    expect(told).toEqual(expected.map((each) => expect.stringMatching(each) as string))
  })

  it('are said in code with all that a scenario can say about a webhook', async () => {
    const url = 'http://receiver.test/hook'
    const settings = {
      name: 'mine',
      timeout: '2s',
      retries: ['1s', '10s'],
      signature: { header: 'X-Hub-Signature-256', prefix: 'sha256=' },
      adversary: [{ do: 'duplicate' as const }],
    }
    const receiver = { url, secret: 's3cret', access_token: 'my-token', ...settings }
    const added = createEmulator()
    added.webhooks.add(receiver)
    const created = createEmulator({ webhooks: [receiver] })
    const open = createEmulator({ scenario: 'webhook-storm', webhooks: [receiver] })
    for (const { webhooks } of [added, created, open]) {
      const [webhook] = webhooks.parts.webhooks
      expect(webhook).toMatchObject({
        ...settings,
        url,
        signature: { ...settings.signature, encoding: 'hex' },
        adversary: [{ do: 'duplicate' }],
      })
      const { secret, access_token: token } = webhook!
      const { secrets, automations } = webhooks.parts
      expect([secrets[secret!], secrets[token!]]).toEqual(['s3cret', 'my-token'])
      expect(new Set(automations.map((each) => each.webhook))).toEqual(new Set(['mine']))
    }
    const wrong = { url, retries: 'never' as never }
    expect(() => added.webhooks.add(wrong)).toThrow('webhooks[0].retries: expected a list')
    expect(() => createEmulator({ webhooks: [url, wrong] })).toThrow(
      'webhooks[1].retries: expected a list',
    )
    expect(() => createEmulator({ webhooks: [{ url, retrys: [] } as never] })).toThrow('retries')
  })

  it('of one URL are one, however it is written, and what is undefined is not set', () => {
    const unset = { name: undefined, secret: undefined, retries: undefined, signature: undefined }
    const url = 'http://One.test:80'
    const { webhooks } = createEmulator({ webhooks: [{ url, ...unset } as never] })
    webhooks.add({ url: 'http://one.test/', secret: 'second', retries: ['1s'] })
    webhooks.add({ url, ...unset } as never)
    expect(webhooks.parts.webhooks).toMatchObject([{ name: 'receiver', retries: ['1s'] }])
    expect(Object.values(webhooks.parts.secrets)).toEqual(['second'])
  })

  it('of options never take the name or the secret of another one', async () => {
    const [one, two] = ['http://one.test/', 'http://two.test/']
    const partsOf = (...webhooks: (string | WebhookReceiver)[]) => {
      return createEmulator({ webhooks }).webhooks.parts
    }
    const named = partsOf(one, { url: two, name: 'receiver' })
    expect(named.webhooks.map(({ name, url }) => [name, url])).toEqual([
      ['receiver-2', one],
      ['receiver', two],
    ])
    const added = createEmulator()
    const receivers = [
      { url: one, name: 'my-hook', secret: 'first' },
      { url: two, name: 'my_hook', secret: 'second' },
    ]
    // Again: each keeps its own.
    for (const receiver of [...receivers, ...receivers]) added.webhooks.add(receiver)
    for (const { webhooks, secrets } of [partsOf(...receivers), added.webhooks.parts]) {
      expect(webhooks.map(({ secret }) => secrets[secret!])).toEqual(['first', 'second'])
    }
    const asUrl = partsOf({ url: new URL(one) as never })
    expect(asUrl.webhooks).toMatchObject([{ url: one }])
  })

  it('reach a receiver that MSW mocks, and show its answer as it was written, in any parts', async () => {
    const heard: unknown[] = []
    const url = 'https://receiver.example/hook'
    const emulator = createEmulator({ scenario: 'failing-job', webhooks: [url] })
    const bytes = new TextEncoder().encode('größer')
    const halves = [bytes.subarray(0, 3), bytes.subarray(3)]
    const inParts = (): ReadableStream => {
      return new ReadableStream({
        start(controller) {
          for (const half of halves) controller.enqueue(half)
          controller.close()
        },
      })
    }
    const server = setupServer(
      http.post(url, async ({ request }) => {
        heard.push(((await request.json()) as { run_state: string }).run_state)
        return new HttpResponse(inParts())
      }),
      ...handlers(emulator),
    )
    server.listen({ onUnhandledRequest: 'error' })
    onTestFinished(() => server.close())
    await submit(emulator)
    await emulator.settle()
    expect(heard).toEqual(['running', 'failed'])
    expect(emulator.webhooks.deliveries[0]!.attempts[0]!.answer).toBe('größer')
  })
})
