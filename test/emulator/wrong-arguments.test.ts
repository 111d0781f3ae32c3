import { describe, expect, it, onTestFinished } from 'vitest'
import { createEmulator, EmulatorError, type Emulator } from '../../src/index.js'

// As JavaScript calls: no compiler looks at these arguments.
// oxlint-disable-next-line typescript/no-explicit-any
type Given = any

/** An emulator with a job, and a webhook with a secret. */
async function busyEmulator(): Promise<Emulator> {
  const emulator = createEmulator({
    clock: 'manual',
    scenario: {
      name: 'mine',
      secrets: { SIGNING: 'a-secret' },
      webhooks: [{ name: 'hook', url: 'http://receiver.test/hook', secret: 'SIGNING' }],
    },
    send: () => Promise.resolve({ status: 200, body: '' }),
  })
  onTestFinished(() => emulator.close())
  await emulator.jobs.start({ model: 'poet' })
  return emulator
}

async function errorOf(work: () => unknown): Promise<EmulatorError> {
  try {
    await work()
  } catch (error) {
    expect(error).toBeInstanceOf(EmulatorError)
    return error as EmulatorError
  }
  throw new Error('It was accepted.')
}

const circle: Record<string, unknown> = { name: 'circle' }
circle['self'] = circle

describe('an argument of a wrong kind', () => {
  it.each<[string, string, (emulator: Emulator, given: Given) => unknown, unknown]>([
    ['webhooks.remove', 'SVTRAIN_OPTIONS', (e, given) => e.webhooks.remove(given), null],
    ['webhooks.remove', 'SVTRAIN_NOT_FOUND', (e, given) => e.webhooks.remove(given), 'nobody'],
    ['webhooks.removeSecret', 'SVTRAIN_OPTIONS', (e, given) => e.webhooks.removeSecret(given), 1n],
    [
      'webhooks.setSecret',
      'SVTRAIN_OPTIONS',
      (e, given) => e.webhooks.setSecret(given, 'a'),
      'no name',
    ],
    [
      'webhooks.setSecret',
      'SVTRAIN_OPTIONS',
      (e, given) => e.webhooks.setSecret('A', given),
      ['a'],
    ],
    ['webhooks.enable', 'SVTRAIN_OPTIONS', (e, given) => e.webhooks.enable(given), Symbol('a')],
    ['webhooks.test', 'SVTRAIN_OPTIONS', (e, given) => e.webhooks.test(given), {}],
    ['webhooks.test', 'SVTRAIN_OPTIONS', (e, given) => e.webhooks.test('hook', given), circle],
    ['webhooks.resend', 'SVTRAIN_OPTIONS', (e, given) => e.webhooks.resend(given), undefined],
    ['webhooks.add', 'SVTRAIN_BAD_SCENARIO', (e, given) => e.webhooks.add({ webhooks: given }), 1n],
    ['trigger', 'SVTRAIN_OPTIONS', (e, given) => e.trigger(given), Number.NaN],
    [
      'trigger',
      'SVTRAIN_OPTIONS',
      (e, given) => e.trigger('RUN_STATE', { metadata: given }),
      circle,
    ],
    [
      'trigger',
      'SVTRAIN_OPTIONS',
      (e, given) => e.trigger('RUN_METRIC', { metrics: given }),
      { a: 'b' },
    ],
    ['trigger', 'SVTRAIN_NOT_FOUND', (e, given) => e.trigger('RUN_STATE', { to: given }), 'nobody'],
    [
      'requests.all',
      'SVTRAIN_OPTIONS',
      (e, given) => e.requests.all({ operation: given }),
      ['health'],
    ],
    ['jobs.fail', 'SVTRAIN_OPTIONS', (e, given) => e.jobs.fail(undefined, given), 1],
    ['jobs.advance', 'SVTRAIN_OPTIONS', (e, given) => e.jobs.advance(undefined, given), '2'],
    [
      'jobs.advance',
      'SVTRAIN_CANNOT_ARRANGE',
      (e, given) => e.jobs.advance(undefined, given),
      1e15,
    ],
    [
      'jobs.start',
      'SVTRAIN_OPTIONS',
      (e, given) => e.jobs.start({ kind: 'sft', examples: given }),
      1e12,
    ],
    [
      'jobs.start',
      'SVTRAIN_CANNOT_ARRANGE',
      (e, given) => e.jobs.start({ model: 'new', trajectory_groups: given }),
      [{ trajectories: [{ reward: 'much' }] }],
    ],
    [
      'jobs.start with data of another kind',
      'SVTRAIN_OPTIONS',
      (e, given) => e.jobs.start({ model: 'new', kind: 'sft', trajectory_groups: given }),
      [{ trajectories: [{ reward: 1 }] }],
    ],
    [
      'jobs.start with data of another kind',
      'SVTRAIN_OPTIONS',
      (e, given) => e.jobs.start({ model: 'new', kind: 'rl', examples: given }),
      5,
    ],
    [
      'checkpoints.add',
      'SVTRAIN_OPTIONS',
      (e, given) => e.checkpoints.add({ metrics: given }),
      { a: [1] },
    ],
    [
      'checkpoints.add',
      'SVTRAIN_OPTIONS',
      (e, given) => e.checkpoints.add({ served_after: given }),
      1e300,
    ],
    ['clock.advanceTo', 'SVTRAIN_OPTIONS', (e, given) => e.clock.advanceTo(given), 1n],
    ['clock.advanceTo', 'SVTRAIN_OPTIONS', (e, given) => e.clock.advanceTo(given), () => 1],
    ['faults.add', 'SVTRAIN_BAD_SCENARIO', (e, given) => e.faults.add({ fault: given }), 1n],
    ['follow', 'SVTRAIN_BAD_SCENARIO', (e, given) => e.follow(given), circle],
    ['follow', 'SVTRAIN_BAD_SCENARIO', (e, given) => e.follow({ name: given }), 1n],
    ['restore', 'SVTRAIN_SNAPSHOT_DAMAGED', (e, given) => e.restore({ format: given }), 1n],
  ])('of %s gets %s, and has no effect', async (_name, code, call, given) => {
    const emulator = await busyEmulator()
    const before = await emulator.snapshot()
    const { message } = await errorOf(() => call(emulator, given))
    expect(await errorOf(() => call(emulator, given))).toMatchObject({ code })
    expect(message).not.toBe('')
    expect(await emulator.snapshot()).toEqual(before)
  })

  it('is named with its place and its value', async () => {
    const emulator = await busyEmulator()
    const metadata = { runs: [{ id: 1n }] }
    expect((await errorOf(() => emulator.trigger('RUN_STATE', { metadata }))).message).toBe(
      'trigger: option "metadata.runs[0].id" cannot be used: expected a value that JSON can write, got a bigint.',
    )
    expect((await errorOf(() => emulator.webhooks.setSecret('my secret', 'a'))).message).toBe(
      'webhooks.setSecret: name is "my secret"; expected a name of letters, digits and underscores that is not a variable of payloads, and no name of JavaScript such as constructor.',
    )
  })
})

describe('a scope of faults', () => {
  it('is saved in one order', async () => {
    const emulator = await busyEmulator()
    emulator.faults.for({ model: 'poet', key: 'a' }).add({ fault: 'hang' })
    const saved = await emulator.snapshot()
    emulator.restore(saved)
    expect((await emulator.snapshot()).digest).toBe(saved.digest)
  })
})

describe('jobs.advance', () => {
  it('moves as often as asked, up to the last event', async () => {
    const emulator = await busyEmulator()
    const job = emulator.job()
    expect(emulator.jobs.advance(job, 0).events).toHaveLength(0)
    expect(emulator.jobs.advance(job, 2).events).toHaveLength(2)
    const total = emulator.jobs.finish(job).events.length
    emulator.reset()
    const again = await emulator.jobs.start({ model: 'poet' })
    await errorOf(() => emulator.jobs.advance(again, total + 1))
    expect(again.events).toHaveLength(0)
    expect(emulator.jobs.advance(again, total).status).toBe('ended')
  })
})
