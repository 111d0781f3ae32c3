import { describe, expect, it } from 'vitest'
import { EmulatorError, expressHandler, loadScenario, type Emulator } from '../../src/index.js'
import { handlers } from '../../src/msw.js'
import { openEmulator } from './open-emulator.js'

// As JavaScript calls: no compiler looks at these arguments.
// oxlint-disable-next-line typescript/no-explicit-any
type Given = any

/** An emulator with a job, and a webhook with a secret. */
async function busyEmulator(): Promise<Emulator> {
  const emulator = openEmulator({
    scenario: {
      name: 'mine',
      secrets: { SIGNING: 'a-secret' },
      webhooks: [{ name: 'hook', url: 'http://receiver.test/hook', secret: 'SIGNING' }],
    },
    send: () => Promise.resolve({ status: 200, body: '' }),
  })
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
const groups = { trajectory_groups: [{ trajectories: [{ reward: 1 }] }] }
const wrong = [{ trajectories: [{ reward: 'much' }] }]
const texts = { a: 'b' } as Given
const lists = { a: [1] } as Given

describe('an argument of a wrong kind', () => {
  it.each<[code: string, call: string, (e: Emulator) => unknown]>([
    ['OPTIONS', 'webhooks.remove(null)', (e) => e.webhooks.remove(null as Given)],
    ['NOT_FOUND', 'webhooks.remove of nobody', (e) => e.webhooks.remove('nobody')],
    ['OPTIONS', 'webhooks.removeSecret(1n)', (e) => e.webhooks.removeSecret(1n as Given)],
    ['OPTIONS', 'webhooks.setSecret of no name', (e) => e.webhooks.setSecret('no name', 'a')],
    ['OPTIONS', 'webhooks.setSecret to a list', (e) => e.webhooks.setSecret('A', ['a'] as Given)],
    ['OPTIONS', 'webhooks.enable of a symbol', (e) => e.webhooks.enable(Symbol('a') as Given)],
    ['OPTIONS', 'webhooks.test({})', (e) => e.webhooks.test({} as Given)],
    ['OPTIONS', 'webhooks.test with a circle', (e) => e.webhooks.test('hook', circle)],
    ['OPTIONS', 'webhooks.resend()', (e) => e.webhooks.resend(undefined as Given)],
    ['BAD_SCENARIO', 'webhooks.add of 1n', (e) => e.webhooks.add({ webhooks: 1n as Given })],
    ['OPTIONS', 'trigger(NaN)', (e) => e.trigger(Number.NaN as Given)],
    ['OPTIONS', 'trigger with a circle', (e) => e.trigger('LINK_ARTIFACT', { metadata: circle })],
    ['OPTIONS', 'trigger with a text', (e) => e.trigger('RUN_METRIC', { metrics: texts })],
    ['OPTIONS', 'trigger of version -1', (e) => e.trigger('LINK_ARTIFACT', { version: -1 })],
    ['OPTIONS', 'trigger of a fact it lacks', (e) => e.trigger('RUN_STATE', { tag: 'a' })],
    ['NOT_FOUND', 'trigger to nobody', (e) => e.trigger('RUN_STATE', { to: 'nobody' })],
    ['OPTIONS', 'requests.all of a list', (e) => e.requests.all({ operation: ['a'] as Given })],
    ['OPTIONS', 'world(5)', (e) => e.world(5 as Given)],
    ['OPTIONS', "world('')", (e) => e.world('')],
    ['OPTIONS', 'handlers()', () => handlers(undefined as Given)],
    ['OPTIONS', 'handlers of a promise', (e) => handlers(Promise.resolve(e) as Given)],
    ['OPTIONS', 'expressHandler()', () => expressHandler(undefined as Given)],
    ['OPTIONS', 'loadScenario(5)', () => loadScenario(5 as Given)],
    ['OPTIONS', 'jobs.fail with 1', (e) => e.jobs.fail(undefined, 1 as Given)],
    ['OPTIONS', 'jobs.advance by "2"', (e) => e.jobs.advance(undefined, '2' as Given)],
    ['CANNOT_ARRANGE', 'jobs.advance beyond the end', (e) => e.jobs.advance(undefined, 1e15)],
    [
      'OPTIONS',
      'jobs.start of 1e12 examples',
      (e) => e.jobs.start({ kind: 'sft', examples: 1e12 }),
    ],
    ['CANNOT_ARRANGE', 'jobs.start with a text', (e) => e.jobs.start({ trajectory_groups: wrong })],
    ['OPTIONS', 'jobs.start of SFT with groups', (e) => e.jobs.start({ kind: 'sft', ...groups })],
    ['OPTIONS', 'jobs.start of RL with examples', (e) => e.jobs.start({ kind: 'rl', examples: 5 })],
    ['OPTIONS', 'checkpoints.add of a list', (e) => e.checkpoints.add({ metrics: lists })],
    [
      'OPTIONS',
      'checkpoints.add in 1e300',
      (e) => e.checkpoints.add({ served_after: 1e300 as Given }),
    ],
    ['OPTIONS', 'clock.at(NaN)', (e) => e.clock.at(Number.NaN, () => {})],
    ['OPTIONS', 'clock.advanceTo(1n)', (e) => e.clock.advanceTo(1n as Given)],
    ['BAD_SCENARIO', 'faults.add of 1n', (e) => e.faults.add({ fault: 1n as Given })],
    ['BAD_SCENARIO', 'follow of a circle', (e) => e.follow(circle as Given)],
    ['SNAPSHOT_DAMAGED', 'restore of 1n', (e) => e.restore({ format: 1n })],
  ])('gets %s, and has no effect: %s', async (code, _name, call) => {
    const emulator = await busyEmulator()
    const before = await emulator.snapshot()
    expect(await errorOf(() => call(emulator))).toMatchObject({
      code: `SVTRAIN_${code}`,
      message: expect.stringMatching(/./) as string,
    })
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

it('a scope of faults is saved in one order', async () => {
  const emulator = await busyEmulator()
  emulator.faults.for({ model: 'poet', key: 'a' }).add({ fault: 'hang' })
  const saved = await emulator.snapshot()
  emulator.restore(saved)
  expect((await emulator.snapshot()).digest).toBe(saved.digest)
})
