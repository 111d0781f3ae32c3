import { describe, expect, it } from 'vitest'
import { SinkAttachedError, type ScenarioInput } from '../../src/index.js'
import { openEmulator } from '../emulator/open-emulator.js'
import { submit } from '../support/trainer.js'
import { withHook } from '../webhooks/sending/world.js'
import { startReceiver } from '../support/receiver.js'
import { secret, signed } from '../webhooks/sending/sender.js'

type Webhook = NonNullable<ScenarioInput['webhooks']>[number]
type Automation = NonNullable<ScenarioInput['automations']>[number]
type Adversary = NonNullable<Webhook['adversary']>[number]

/** A scenario with one webhook that gets each change of a run, in one line. */
function hooked(
  webhook: Partial<Webhook> = {},
  payload: Automation['payload'] = {},
  event: 'RUN_STATE' | 'CREATE_ARTIFACT' = 'RUN_STATE',
): ScenarioInput {
  return {
    name: 'hooked',
    secrets: { HOOK: 'between us' },
    webhooks: [{ name: 'hook', secret: 'HOOK', ...webhook }],
    automations: [{ name: 'all', webhook: 'hook', event, payload }],
  }
}

describe('a sink of an emulator', () => {
  it('receives all events of jobs and artifacts, has the secret, and needs no port', async () => {
    const emulator = openEmulator()
    const sink = emulator.createSink()
    await submit(emulator)
    await emulator.settle()
    expect(sink.deliveries.map(({ event, verdict }) => `${event} ${verdict}`)).toEqual([
      'RUN_STATE valid',
      'CREATE_ARTIFACT valid',
      'ADD_ARTIFACT_ALIAS valid',
      'ADD_ARTIFACT_ALIAS valid',
      'RUN_STATE valid',
    ])
    expect(sink.deliveries.at(-1)!.body).toMatchObject({ run_name: 'poet', run_state: 'finished' })
    expect(emulator.sink!.deliveries).toEqual(sink.deliveries)
    emulator.assertClientChecks()
  })

  it('shows which attempt sent a delivery, and how long after the event', async () => {
    const emulator = openEmulator({ scenario: 'fails-at-once', seed: 5 })
    const sink = emulator.createSink()
    sink.answer({ status: 503, times: 1, after: '2s' })
    await submit(emulator)
    await emulator.settle()
    expect(sink.deliveries.map(({ latency }) => latency)).toEqual([0, 1750])
    expect(emulator.trace()).toContain(`
  +0.50s    → RUN_STATE running to receiver: 503 {"id":"1","verdict":"valid"}
  +0.50s      → webhook sink: 1: POST /, RUN_STATE, valid
  +0.75s  → poet cc6ed85f failed: Invalid configuration: no optimizer state could be built
  +2.50s    → RUN_STATE failed to receiver: 200
  +2.50s      → webhook sink: 2: POST /, RUN_STATE, valid`)
  })

  it('marks a retry as a duplicate, but not another event with the same bytes', async () => {
    const emulator = openEmulator({ scenario: hooked({ retries: ['1s'] }) })
    const sink = emulator.createSink()
    sink.answer({ status: 503, times: 1 })
    await submit(emulator)
    await emulator.settle()
    expect(sink.deliveries.map(String)).toEqual([
      '1: POST /, valid',
      '2: POST /, valid, duplicate of 1',
      '3: POST /, valid',
    ])
    const [, retry] = sink.deliveries
    expect(sink.matching({ duplicate: true })).toEqual([retry])
    emulator.reset()
    expect(sink.deliveries).toEqual([])
    await submit(emulator)
    await emulator.settle()
    expect(sink.deliveries.map(String)).toEqual(['4: POST /, valid', '5: POST /, valid'])
  })

  it.each(['0s', '1s'])(
    'tells the deliveries of one moment apart, in the order of their webhooks, if it answers after %s',
    async (after) => {
      const hooks = ['one', 'two', 'three', 'four']
      const scenario = {
        name: 'four',
        webhooks: hooks.map((name) => ({ name })),
        automations: hooks.map((name) => {
          return { name: `to ${name}`, webhook: name, event: 'RUN_STATE' as const }
        }),
      }
      for (let run = 0; run < 50; run++) {
        const emulator = openEmulator({ scenario })
        const sink = emulator.createSink()
        sink.answer({ after })
        const sent = await emulator.trigger('RUN_STATE', { run: 'poet', state: 'failed' })
        await emulator.settle()
        expect(sent.map(({ webhook }) => webhook)).toEqual(hooks)
        const ids = sink.deliveries.map(({ deliveryId }) => deliveryId)
        expect(ids).toEqual(sent.map(({ id }) => id))
        expect(new Set(ids).size).toBe(4)
      }
    },
  )

  it('takes deliveries without a signature once their secret is removed', async () => {
    const emulator = openEmulator({ scenario: hooked() })
    const sink = emulator.createSink()
    emulator.webhooks.removeSecret('HOOK')
    await emulator.trigger('RUN_STATE', { state: 'failed' })
    await emulator.settle()
    expect(sink.deliveries.map(String)).toEqual(['1: POST /, unverifiable'])
  })

  it('expects the signature of the webhook where its own options are undefined', async () => {
    const signature = { encoding: 'base64', header: 'X-Mine', prefix: 'sha256=' } as const
    const emulator = openEmulator({ scenario: hooked({ signature }) })
    const unset = { encoding: undefined, header: undefined, prefix: undefined, token: undefined }
    const sink = emulator.createSink(unset)
    await emulator.trigger('RUN_STATE', { state: 'failed' })
    await emulator.settle()
    expect(sink.deliveries.map(({ verdict }) => verdict)).toEqual(['valid'])
  })

  it('verifies with the secret that the scenario gives a webhook', async () => {
    const emulator = openEmulator({
      scenario: {
        name: 'mine',
        secrets: { HOOK: 'my own secret' },
        webhooks: [{ name: 'ops', secret: 'HOOK' }, { name: 'other' }],
      },
    })
    const sink = emulator.createSink()
    for (const to of ['ops', 'other']) await emulator.trigger('RUN_STATE', { to })
    await emulator.settle()
    expect(sink.deliveries.map(({ verdict }) => verdict)).toEqual(['valid', 'valid'])
    const named = emulator.webhooks.parts.webhooks.map((each) => [each.name, each.secret])
    expect(named).toEqual([
      ['ops', 'HOOK'],
      ['other', 'RECEIVER_SECRET'],
    ])
    // Nothing prints a secret that the user chose.
    expect(emulator.receivers).toMatchObject([{ secret: 'my own secret', generated: false }])
  })

  it('refuses a delivery that is signed with the secret of another webhook', async () => {
    const emulator = openEmulator()
    const sink = emulator.createSink()
    const signedBy = async (name: string, used: string): Promise<string> => {
      emulator.webhooks.add({
        secrets: { MINE: 'my own' },
        webhooks: [
          {
            name,
            url: `${sink.url}/${name}`,
            secret: 'MINE',
            adversary: [{ do: 'old_secret', secret: used }],
          },
        ],
      })
      await emulator.trigger('RUN_STATE', { run: 'poet', state: 'failed', to: name })
      await emulator.settle()
      return sink.deliveries.at(-1)!.verdict
    }
    expect(await signedBy('mine', 'MINE')).toBe('valid')
    expect(await signedBy('mixed-up', 'RECEIVER_SECRET')).toBe('invalid')
  })

  it('does not take the same bytes of another sender for a delivery under way', async () => {
    const emulator = openEmulator()
    const sink = emulator.createSink()
    sink.answer({ after: '1s', times: 1 })
    const [sent] = await emulator.trigger('RUN_STATE', { run: 'poet', state: 'failed' })
    const [own] = await sink.waitFor()
    const headers = own!.headers as Record<string, string>
    const body = new Uint8Array(own!.raw)
    await sink.fetch(sink.url, { method: 'POST', headers, body })
    expect(sink.deliveries.map(({ deliveryId }) => deliveryId)).toEqual([sent!.id, undefined])
    await emulator.settle()
    expect(sent!.status).toBe('delivered')
  })

  it('forgets at a reset only what the world that is reset sent', async () => {
    const emulator = openEmulator({ isolate: 'api-key' })
    const sink = emulator.createSink()
    const [one, two] = [emulator.world('one'), emulator.world('two')]
    await one.trigger('RUN_STATE')
    await two.trigger('RUN_STATE')
    await Promise.all([one.settle(), two.settle()])
    expect(sink.deliveries).toHaveLength(2)
    one.reset()
    expect(sink.deliveries.map(({ id }) => id)).toEqual(['2'])
    emulator.reset()
    expect(sink.deliveries).toEqual([])
  })

  it('counts the copies of a storm as separate deliveries', async () => {
    const storm: Adversary = { do: 'storm', times: 3, deliveries: 1 }
    const payload = { is: '${run_state}' }
    const emulator = openEmulator({ scenario: hooked({ adversary: [storm] }, payload) })
    const sink = emulator.createSink()
    await submit(emulator)
    await emulator.settle()
    const found = sink.deliveries.map(({ duplicateOf, sameBytesAs }) => [duplicateOf, sameBytesAs])
    expect(found).toEqual(Array.from({ length: 4 }, () => [undefined, undefined]))
  })

  it('uses the clock and the journal of each world', async () => {
    const emulator = openEmulator({ scenario: 'fails-at-once', isolate: 'api-key' })
    const sink = emulator.createSink()
    const [one, two] = [emulator.world('one'), emulator.world('two')]
    two.clock.advance('1h')
    await submit(emulator, 'poet', 'one')
    await submit(emulator, 'painter', 'two')
    for (const world of [one, two]) {
      sink.answer({ status: 503, times: 1, after: '2s' })
      await world.settle()
    }
    const latencies = sink.deliveries.map(({ latency = -1 }) => latency)
    expect(latencies).toEqual([0, 1750, 0, 1750])
    for (const { journal } of [one, two]) {
      const receipts = journal.entries.filter(({ kind }) => kind === 'receipt')
      expect(receipts).toHaveLength(2)
      const causes = receipts.map(({ cause }) => journal.entries.find(({ id }) => id === cause))
      expect(causes).toMatchObject([{ kind: 'delivery' }, { kind: 'delivery' }])
    }
    expect(emulator.journal.entries).toEqual([])
  })

  it('fails client checks for a delivery that was never acknowledged', async () => {
    const emulator = openEmulator({ scenario: 'fails-at-once' })
    emulator.createSink().answer({ status: 503, times: 1 })
    await submit(emulator)
    await emulator.settle()
    const [refused, taken] = emulator.webhooks.deliveries
    expect(() => emulator.assertClientChecks()).toThrow(
      `delivery ${refused!.id} (RUN_STATE to receiver) was not acknowledged: answered 503 (deliveries: false allows it)
To allow that: assertClientChecks({ deliveries: false }), or with the fixture test.override({ checks: { deliveries: false } }).`,
    )
    emulator.assertClientChecks({ deliveries: false })
    await emulator.webhooks.resend(refused!.id)
    emulator.assertClientChecks()
    await emulator.webhooks.resend(taken!.id)
    emulator.assertClientChecks()
  })

  it.each<[Adversary, (number | undefined)[]]>([
    [{ do: 'duplicate' }, [200, 200]],
    [{ do: 'wrong_secret' }, [401]],
    [{ do: 'altered_body' }, [401]],
    [{ do: 'respelled_body' }, [200]],
    [{ do: 'missing_signature' }, [401]],
    [{ do: 'down', from: '0s' }, [undefined]],
  ])('passes client checks for a receiver that is right about %o', async (adversary, answers) => {
    const scenario = hooked({ adversary: [adversary] }, {}, 'CREATE_ARTIFACT')
    const emulator = openEmulator({ scenario })
    emulator.createSink({ strict: true })
    await submit(emulator)
    await emulator.settle()
    const [delivery] = emulator.webhooks.deliveries
    expect(delivery!.attempts.map(({ status }) => status)).toEqual(answers)
    emulator.assertClientChecks()
  })

  it('verifies with the settings of each webhook, and follows a rotation of its secret', async () => {
    const signature = { header: 'X-Sum', prefix: 'v1=' }
    const emulator = openEmulator({ scenario: hooked({ access_token: 'HOOK', signature }) })
    const sink = emulator.createSink()
    await submit(emulator)
    emulator.clock.next()
    await emulator.webhooks.idle()
    emulator.webhooks.setSecret('HOOK', 'another')
    await emulator.settle()
    expect(
      sink.deliveries.map(({ verdict, problems, headers }) => {
        return { verdict, problems, header: headers['x-sum']!.slice(0, 3) }
      }),
    ).toEqual(Array.from({ length: 2 }, () => ({ verdict: 'valid', problems: [], header: 'v1=' })))
  })

  it('explains what is wrong with deliveries that an adversary changes', async () => {
    const scenario = {
      ...hooked({ adversary: [{ do: 'old_secret', secret: 'OLD' }] }),
      secrets: { HOOK: 'the one now', OLD: 'the one before' },
    }
    const emulator = openEmulator({ scenario })
    const sink = emulator.createSink()
    await submit(emulator)
    await emulator.settle()
    expect(sink.deliveries[0]!.diagnosis!.text).toContain('not accepted here (secret "OLD")')
    const receipt = emulator.journal.entries.find(({ kind }) => kind === 'receipt')
    expect(receipt).toMatchObject({ text: expect.stringContaining('invalid. It was signed with') })
  })

  it('also receives deliveries of other senders', async () => {
    const emulator = openEmulator()
    const sink = emulator.createSink()
    emulator.webhooks.setSecret('RECEIVER_SECRET', secret)
    await sink.fetch(`${sink.url}/hook`, signed({ event_type: 'MINE' }))
    expect(sink.deliveries[0]).toMatchObject({ verdict: 'valid', cause: undefined })
  })

  it('does not receive deliveries to other URLs', async () => {
    const receiver = await startReceiver()
    const emulator = withHook(receiver)
    const sink = emulator.createSink()
    await submit(emulator)
    await emulator.settle()
    expect(receiver.received).toHaveLength(2)
    expect(sink.deliveries).toHaveLength(5)
  })

  it('cannot be attached twice', () => {
    const emulator = openEmulator()
    const { url } = emulator.createSink()
    expect(() => emulator.createSink()).toThrow(SinkAttachedError)
    expect(() => emulator.createSink()).toThrow(url)
  })

  it('receives the deliveries of all worlds, if each key has its own', async () => {
    const emulator = openEmulator({ isolate: 'api-key' })
    await submit(emulator, 'before', 'one')
    const sink = emulator.createSink()
    await submit(emulator, 'after', 'two')
    await Promise.all([emulator.world('one').settle(), emulator.world('two').settle()])
    const names = sink.matching({ event: 'RUN_STATE' }).map(({ body }) => {
      return (body as { run_name: string }).run_name
    })
    expect(names.sort()).toEqual(['after', 'after', 'before', 'before'])
    expect(sink.matching({ verdict: 'valid' })).toHaveLength(10)
  })
})
