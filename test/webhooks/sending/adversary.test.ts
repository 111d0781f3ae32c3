import { describe, expect, it } from 'vitest'
import { SessionSummary } from '../../../src/cli/session-summary.js'
import { createClient } from '../../../src/client.js'
import type { Emulator, ScenarioInput } from '../../../src/index.js'
import { tampered } from '../../../src/webhooks/sending/adversary.js'
import { startReceiver } from '../../support/receiver.js'
import { submit } from '../../support/trainer.js'
import { withHook } from './world.js'

type Rule = NonNullable<NonNullable<ScenarioInput['webhooks']>[number]['adversary']>[number]

/** The deliveries of the two states of a job, with this adversary. */
async function arriving(...adversary: Rule[]) {
  const receiver = await startReceiver()
  const emulator = withHook(receiver, { adversary })
  await submit(emulator)
  await emulator.settle()
  const arrived = receiver.received.map(({ body, valid }) => {
    return `${/running|finished/.exec(body.toString())?.[0]} ${valid ? 'valid' : 'invalid'}`
  })
  return { arrived, emulator, ...receiver }
}

/** How a delivery whose sends get these answers, in order, is named in the log and in the trace. */
async function named(answers: readonly number[], webhook: Parameters<typeof withHook>[1]) {
  const statuses = answers.values()
  const send = () => Promise.resolve({ status: statuses.next().value ?? 200, body: '' })
  const emulator = withHook({ url: 'http://127.0.0.1:9/hook' }, webhook, { send })
  const [delivery] = await emulator.trigger('RUN_STATE', { state: 'running' })
  await emulator.settle()
  return { emulator, delivery: delivery!, texts: textsOf(emulator) }
}

function textsOf(emulator: Emulator): string[] {
  const texts = emulator.journal.entries.flatMap((entry) =>
    entry.kind === 'delivery' ? entry.text : [],
  )
  for (const text of texts) expect(emulator.trace()).toContain(text)
  return texts.map((text) => text.replace('RUN_STATE running to hook', '').trim())
}

describe('a copy', () => {
  const adversary: Rule[] = [{ do: 'duplicate', times: 3 }]

  it('does not use up the attempts of the delivery', async () => {
    const { texts, emulator } = await named(Array(9).fill(500), {
      adversary: [{ do: 'duplicate' }],
      retries: ['1s', '10s'],
    })
    expect(texts).toEqual([
      ': 500; again in 1s',
      '(copy 2): 500; again in 1s',
      '(attempt 2): 500; again in 10s',
      '(copy 2, attempt 2): 500; again in 10s',
      '(attempt 3): 500',
      '(copy 2, attempt 3): 500',
    ])
    expect(() => emulator.assertNothingPending()).toThrow(
      'not acknowledged after 3 attempts and 1 copy (3 attempts)',
    )
    const summary = new SessionSummary()
    emulator.journal.entries.forEach((entry) => summary.add(entry))
    const [line] = summary.lines({ paint: (_style, text) => text })
    expect(line).toContain('6 delivery attempts (3 of copies, 6 failed)')
  })

  it('leaves a delivery delivered if its own retry is cancelled', async () => {
    const statuses = [200, 500].values()
    const send = () => Promise.resolve({ status: statuses.next().value!, body: '' })
    const webhook = { adversary: [{ do: 'duplicate' as const }], retries: ['1h'] }
    const emulator = withHook({ url: 'http://127.0.0.1:9/hook' }, webhook, { send })
    const [delivery] = await emulator.trigger('RUN_STATE', { state: 'running' })
    await emulator.webhooks.idle()
    expect(textsOf(emulator)).toEqual([': 200', '(copy 2): 500; again in 1h'])
    await emulator.close()
    expect(delivery!.status).toBe('delivered')
  })

  it('is also what somebody asks for after the delivery was acknowledged', async () => {
    const { emulator, delivery } = await named([500, 200], {})
    await emulator.webhooks.resend(delivery.id)
    await emulator.webhooks.resend(delivery.id)
    expect(textsOf(emulator)).toEqual([': 500', '(attempt 2): 200', '(copy 2): 200'])
  })

  it('is counted as a copy wherever sends are counted', async () => {
    const { emulator, delivery } = await named([], { adversary })
    const client = createClient({ url: emulator.trainingUrl, fetch: emulator.fetch })
    const { attempts } = await client.deliveries.get(delivery.id)
    expect(attempts.map(({ attempt, copy }) => [attempt, copy])).toEqual([
      [1, undefined],
      [2, 2],
      [3, 3],
    ])
    expect(await emulator.report()).toContain('1 attempt and 2 copies')
  })
})

describe('an adversary', () => {
  it('sends a delivery again, with the same id and bytes', async () => {
    const { arrived, emulator } = await arriving({ do: 'duplicate', deliveries: 1, times: 3 })
    expect(arrived).toEqual(['running valid', 'running valid', 'running valid', 'finished valid'])
    expect(emulator.webhooks.deliveries).toHaveLength(2)
    expect(emulator.webhooks.deliveries[0]!.attempts).toHaveLength(3)
  })

  describe.each(['manual', 'instant', 'auto'] as const)('with the clock %s', (clock) => {
    it.each([
      { do: 'reordered', deliveries: 1 },
      { do: 'reordered' },
      { do: 'late', deliveries: 1 },
      { do: 'late' },
      { do: 'delayed', deliveries: 1, by: '1h' },
    ] as const)('and %j sends the older state last', async (rule) => {
      const receiver = await startReceiver()
      const emulator = withHook(receiver, { adversary: [rule] }, { clock })
      await submit(emulator)
      await emulator.settle()
      expect(receiver.bodies()).toEqual([{ state: 'finished' }, { state: 'running' }])
      expect(emulator.trace()).not.toContain('keeps its place')
    })
  })

  it('without numbers swaps each two deliveries, and says which one nothing followed', async () => {
    const receiver = await startReceiver()
    const emulator = withHook(receiver, { adversary: [{ do: 'reordered' }] })
    const states = ['running', 'finished', 'failed'] as const
    for (const state of states) await emulator.trigger('RUN_STATE', { run: 'x', state })
    await emulator.settle()
    const arrived = ['finished', 'running', 'failed'].map((state) => ({ state }))
    expect(receiver.bodies()).toEqual(arrived)
    expect(emulator.trace()).toContain(
      'RUN_STATE failed to hook keeps its place: no other delivery followed in time',
    )
  })

  it('holds a late state back for a newer one of the same run, in its project', async () => {
    const receiver = await startReceiver()
    const emulator = withHook(receiver, { adversary: [{ do: 'late', deliveries: 1 }] })
    for (const [project, state] of [
      ['verse', 'running'],
      ['prose', 'running'],
      ['verse', 'finished'],
    ] as const) {
      await emulator.trigger('RUN_STATE', { project, run: 'r1', state })
    }
    await emulator.webhooks.idle()
    expect(receiver.bodies().map((body) => (body as { state: string }).state)).toEqual([
      'running',
      'finished',
      'running',
    ])
  })

  it('delays nothing forever', async () => {
    const { arrived, emulator } = await arriving({ do: 'reordered', deliveries: 2, within: '3s' })
    expect(arrived).toEqual(['running valid', 'finished valid'])
    const [, last] = emulator.webhooks.deliveries
    expect(last!.attempts[0]!.at - last!.event.at).toBe(3_000)
  })

  it.each([
    [{ do: 'wrong_secret', deliveries: 1 }],
    [{ do: 'altered_body', deliveries: 1 }],
    [{ do: 'missing_signature', deliveries: 1 }],
    [{ do: 'old_secret', deliveries: { to: 1 }, secret: 'OLD' }],
  ] as const)('spoils the signature or the token: %j', async (rule) => {
    const { arrived, bodies } = await arriving(rule)
    expect(arrived).toEqual(['running invalid', 'finished valid'])
    expect(bodies()[0]).toMatchObject({ state: 'running' })
  })

  it('sends half of a body with the signature of the complete body', async () => {
    const { received, emulator } = await arriving({ do: 'truncated_body', deliveries: 1 })
    expect(received[0]!.body.toString()).toBe('{"state":')
    const [delivery] = emulator.webhooks.deliveries
    expect(delivery!.text).toBe('{"state":"running"}')
    expect(delivery!.attempts[0]!.sent).toEqual(new Uint8Array(received[0]!.body))
  })

  it('signs a body that only somebody who verifies these bytes takes', async () => {
    const { arrived, received, emulator } = await arriving({ do: 'respelled_body', deliveries: 1 })
    expect(arrived).toEqual(['running valid', 'finished valid'])
    expect(received[0]!.body.toString()).toBe('{\n "state": "running"\n}\n')
    expect(emulator.webhooks.deliveries[0]!.text).toBe('{"state":"running"}')
    const strange = new TextEncoder().encode('{"path":"a/b","name":"é"}')
    expect(new TextDecoder().decode(tampered(strange, { body: 'respelled' }))).toBe(
      '{\n "path": "a\\/b",\n "name": "\\u00e9"\n}\n',
    )
  })

  it('simulates a receiver that is down for a while', async () => {
    const { arrived, emulator } = await arriving({ do: 'down', to: '2s', status: 502 })
    expect(arrived).toEqual(['finished valid'])
    expect(emulator.webhooks.deliveries[0]!.attempts).toMatchObject([{ status: 502 }])
  })
})
