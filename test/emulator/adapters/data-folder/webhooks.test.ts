import { describe, expect, it } from 'vitest'
import { defaultWebhooks, type Emulator, type Send } from '../../../../src/index.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { openEmulator } from '../../open-emulator.js'
import { leftBy } from './world-on-disk.js'
import { bearer } from '../../../support/api-client.js'

type Heard = Parameters<Send>[0][]

/** A receiver that answers with these statuses, one after the other, and then with 200. */
function receiver(...statuses: (number | 'never')[]): { send: Send; heard: Heard } {
  const heard: Heard = []
  const send: Send = async (request) => {
    heard.push(request)
    const status = statuses.shift() ?? 200
    if (status === 'never') await new Promise(() => {})
    return { status: status as number, body: '' }
  }
  return { send, heard }
}

const url = 'http://receiver.test/hook'
const parts = () => {
  const { secrets, webhooks, automations } = defaultWebhooks({ url, secret: 'first secret' })
  return {
    secrets,
    webhooks: webhooks.map((webhook) => ({ ...webhook, retries: ['10s', '1m'] })),
    automations: automations.filter(({ event }) => event === 'RUN_STATE'),
  }
}

/** Adds a webhook that is retried, and sends it an event. */
async function triggered(emulator: Emulator): Promise<void> {
  await emulator.ready()
  emulator.webhooks.add(parts())
  await emulator.trigger('RUN_STATE', { run: 'poet', state: 'failed' })
}

/** Copies what a process leaves behind if it is killed now. */
async function killed(emulator: Emulator, data: string): Promise<string> {
  await emulator.fetch(`${emulator.trainingUrl}/health`, { headers: bearer() })
  return leftBy(data)
}

describe('webhooks of a world on disk', () => {
  it('a retry that is scheduled later is sent by the next process, with the same id and bytes', async () => {
    const data = temporaryFolder()
    const first = receiver(500)
    const before = openEmulator({ data, send: first.send })
    await triggered(before)
    await before.webhooks.idle()
    const [delivery] = before.webhooks.deliveries
    expect(delivery).toMatchObject({ status: 'pending', attempts: [{ number: 1, status: 500 }] })
    before.clock.advance('4s')

    const second = receiver()
    const after = openEmulator({ data: await killed(before, data), send: second.send })
    await after.ready()
    expect(after.webhooks.deliveries[0]).toMatchObject({ id: delivery!.id, status: 'pending' })
    after.clock.advance('5999ms')
    await after.webhooks.idle()
    expect(second.heard).toHaveLength(0)
    after.clock.advance('1ms')
    await after.webhooks.idle()
    expect(second.heard.map(({ headers, body }) => ({ headers, body }))).toEqual(
      first.heard.map(({ headers, body }) => ({ headers, body })),
    )
    expect(after.webhooks.deliveries[0]).toMatchObject({
      status: 'delivered',
      attempts: [{ number: 1 }, { number: 2, status: 200 }],
    })
  })

  it('a delivery that was in progress is sent again', async () => {
    const data = temporaryFolder()
    const before = openEmulator({ data, send: receiver('never').send })
    await triggered(before)
    const { send, heard } = receiver()
    const after = openEmulator({ data: await killed(before, data), send })
    await after.webhooks.idle()
    expect(heard).toHaveLength(1)
    expect(after.webhooks.deliveries.map(({ status }) => status)).toEqual(['delivered'])
  })

  it('scheduled deliveries of a removed webhook are not sent', async () => {
    const { send, heard } = receiver(500)
    const emulator = openEmulator({ data: temporaryFolder(), send })
    await triggered(emulator)
    await emulator.webhooks.idle()
    emulator.webhooks.remove('receiver')
    emulator.clock.advance('1h')
    await emulator.webhooks.idle()
    expect(heard).toHaveLength(1)
    expect(emulator.webhooks.deliveries[0]).toMatchObject({ status: 'cancelled' })
  })

  it('what the receiver before answers does not disable a webhook that has moved', async () => {
    const data = temporaryFolder()
    let answer = (): void => {}
    const answered = new Promise<void>((resolve) => (answer = resolve))
    const send: Send = async () => ({ status: await answered.then(() => 410), body: '' })
    const before = openEmulator({ data, send })
    await triggered(before)
    before.webhooks.add({ webhooks: [{ name: 'receiver', url: 'http://moved.test/hook' }] })
    answer()
    await before.webhooks.idle()
    expect(before.webhooks.whyDisabled('receiver')).toBeUndefined()
    const after = openEmulator({ data: await killed(before, data), send })
    await after.ready()
    expect(after.webhooks.whyDisabled('receiver')).toBeUndefined()
  })

  it('a webhook stays if the automation of its name is removed', async () => {
    const both = { name: 'both', webhook: 'both', event: 'RUN_STATE' } as const
    const webhook = { name: 'both', url }
    for (const webhooks of [[webhook], []]) {
      const data = temporaryFolder()
      const options = { scenario: { name: 'both', webhooks } }
      const before = openEmulator({ data, ...options })
      await before.ready()
      before.webhooks.add({ webhooks: [webhook], automations: [both] })
      before.webhooks.remove('both')
      await before.close()
      const after = openEmulator({ data, ...options })
      await after.ready()
      expect(after.webhooks.parts).toMatchObject({ webhooks: [webhook], automations: [] })
    }
  })

  it('another scenario cancels the scheduled deliveries', async () => {
    const data = temporaryFolder()
    const before = openEmulator({ data, send: receiver(500).send })
    await triggered(before)
    await before.webhooks.idle()
    const left = await killed(before, data)
    const after = openEmulator({ data: left, scenario: 'failing-job' })
    await after.ready()
    expect(after.webhooks.deliveries.map(({ status }) => status)).toEqual(['cancelled'])
    expect(after.webhooks.pending).toBe(0)
    expect(after.webhooks.parts.webhooks).toEqual([])
  })
})
