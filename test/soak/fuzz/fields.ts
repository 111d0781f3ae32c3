import { setTimeout } from 'node:timers/promises'
import { createEmulator, createWebhookSink, type Emulator } from '../../../src/index.js'
import type { InputDraw } from './draws.js'
import { ask } from './read-all.js'
import {
  assertRoundTrip,
  assertSame,
  emptyEmulator,
  emulatorWith,
  stateOf,
  verdictOf,
} from './look.js'
import type { StartKind } from './kind.js'
import { mutated } from './mutations.js'
import { smallWorld } from './small-world.js'

const groups = [{ trajectories: [{ reward: 1 }, { reward: 0 }] }]
const url = 'http://receiver.test/other'
const steps = [
  { event: 'training_started' },
  { event: 'gradient_step' },
  { event: 'training_ended' },
]
const own = { name: 'own', webhooks: [{ name: 'w', url }], secrets: { S: 's' }, jobs: [] }

/** Verbs of an emulator by their paths, each with arguments that it accepts. A word after the path tells two apart. */
const verbs: Readonly<Record<string, readonly unknown[]>> = {
  createEmulator: [
    {
      scenario: own,
      seed: 3,
      clock: 'manual',
      speed: 2,
      apiKeys: ['key'],
      serveAnyModel: true,
      baseModels: ['a', { id: 'b', contextWindow: 100 }],
      basePath: '/api',
      isolate: 'api-key',
      contract: '2026-01',
      webhooks: [url, { url, secret: 's' }],
    },
  ],
  createWebhookSink: [{}],
  'models.create': [{ name: 'm', project: 'p', entity: 'e', base_model: 'b' }],
  'models.delete': ['poet'],
  'jobs.start': [{ model: 'poet', kind: 'rl', trajectory_groups: groups, timeline: steps }],
  'jobs.start sft': [{ model: { id: 'poet' }, kind: 'sft', examples: 3 }],
  'jobs.get': [{ model: 'poet' }],
  'jobs.fail': [{ model: 'poet' }, 'as it was told'],
  'jobs.finish': [undefined],
  'jobs.advance': [undefined, 2],
  'checkpoints.add': [
    {
      model: 'poet',
      metrics: { 'val/reward': 0.5 },
      served_after: '1s',
      evicted_after: '2s',
      expires_after: '1h',
    },
  ],
  'checkpoints.delete': [1, { model: 'poet' }],
  'faults.add': [
    { name: 'f', fault: 'status', status: 503, calls: 2, match: { operation: 'healthCheck' } },
  ],
  'faults.for': [{ key: 'k', user: 'u', model: 'm' }],
  'webhooks.add': [
    {
      secrets: { OTHER: 'o' },
      webhooks: [{ name: 'other', url, secret: 'OTHER', retries: ['1s'] }],
      automations: [
        { name: 'a', webhook: 'other', event: 'RUN_STATE', payload: { a: '${run_name}' } },
      ],
    },
  ],
  'webhooks.setSecret': ['SIGNING', 'rotated'],
  'webhooks.removeSecret': ['SIGNING'],
  'webhooks.remove': ['hook'],
  'webhooks.enable': ['hook'],
  'webhooks.test': ['hook', { a: ['${alias}'] }],
  'webhooks.resend': ['delivery'],
  trigger: [
    'ADD_ARTIFACT_ALIAS',
    {
      entity: 'e',
      project: 'p',
      version: 2,
      alias: 'best',
      author: 'ann',
      metadata: { deep: [1] },
      to: 'hook',
    },
  ],
  'clock.use': ['auto', { speed: 2 }],
  'clock.advance': ['10m'],
  'clock.advanceTo': ['2026-03-01T00:00:00Z'],
  snapshot: [{ secrets: false }],
  restore: [{ format: 'svtrain-emulator snapshot', version: 1 }],
  follow: [own],
  revise: [own],
  reset: [own, { seed: 3 }],
  settle: [undefined, { within: 50, most: 100 }],
  'requests.all': [{ operation: 'health', method: 'GET', path: '/v1/*', status: 200 }],
  'requests.waitFor': ['health', { within: 1 }],
  assertClientChecks: [{ duplicateJobs: false }],
  report: [{ title: 'a', contents: 'redacted' }],
  har: [{ contents: 'redacted' }],
}

// As JavaScript calls: no compiler looks at these arguments.
// oxlint-disable-next-line typescript/no-explicit-any
type Given = any

/** Verbs that are called in another way than by their paths. */
const calls: Readonly<Record<string, (emulator: Emulator, args: Given[]) => unknown>> = {
  createEmulator: (_emulator, [options]) => createEmulator(options).close(),
  createWebhookSink: (_emulator, [options]) => void createWebhookSink(options),
  'faults.for': (emulator, [scope]) => emulator.faults.for(scope).add({ fault: 'hang' }),
  'clock.use': (emulator, [mode, options]) => {
    emulator.clock.use(mode, options)
    // Real time must not pass.
    emulator.clock.use('manual')
  },
  settle: (emulator, [, options]) => emulator.settle(undefined, { within: 50, ...options }),
  // What is allowed may take days: a long time, and a pattern that no request has.
  'requests.waitFor': (emulator, [pattern, options]) =>
    Promise.race([emulator.requests.waitFor(pattern, options), setTimeout(10)]),
}

function callVerb(emulator: Emulator, name: string, args: Given[]): unknown {
  const call = calls[name]
  if (call) return call(emulator, args)
  const path = name.split(' ', 1)[0]!.split('.')
  const verb = path.pop()!
  const owner = path.reduce<Given>((part, key) => part[key], emulator)
  return owner[verb](...args)
}

const names = Object.keys(verbs)

/** What is read after an accepted call. */
const lists = ['models', 'jobs', 'faults', 'webhooks', 'deliveries', 'pending', 'trace']

/** Verbs that have no effect on a world, or wait for real time. */
const slow: readonly string[] = ['requests.waitFor', 'report', 'settle']

/** What tests pass to the verbs of the package, with values of wrong kinds. */
export const startFields: StartKind = async () => {
  const { snapshot } = await smallWorld()
  let emulator = emulatorWith(snapshot)
  const other = emptyEmulator()
  let before = stateOf(emulator)

  return {
    async attempt(draw) {
      const verb = draw.tell(drawVerb(draw))
      const given = mutated(draw, verbs[verb], { inCode: true, most: 2 })
      const args = Array.isArray(given) ? given : [given]
      const verdict = await verdictOf(() => callVerb(emulator, verb, args))
      const after = savedState(verb)
      if (verdict === 'refused' && verb !== 'settle') {
        assertSame(before, after)
        return verdict
      }
      if (after === before) return verdict
      await emulator.webhooks.idle()
      for (const what of lists) await ask(emulator, `GET /_emulator/${what}`)
      await assertRoundTrip(emulator, other)
      await emulator.close()
      emulator = emulatorWith(snapshot)
      before = stateOf(emulator)
      return verdict
    },

    async end() {
      await emulator.close()
      await other.close()
    },
  }

  function savedState(verb: string): string {
    try {
      return stateOf(emulator)
    } catch (error) {
      throw new Error(`${verb} made a world that cannot be saved: ${String(error)}`, {
        cause: error,
      })
    }
  }
}

/** Slow verbs are drawn less often. */
function drawVerb(draw: InputDraw): string {
  const verb = draw.oneOf(names)
  return slow.includes(verb) && !draw.isHit(0.1) ? draw.oneOf(names) : verb
}
