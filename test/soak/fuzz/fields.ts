import { setTimeout } from 'node:timers/promises'
import { createEmulator, createWebhookSink, type Emulator } from '../../../src/index.js'
import type { Draw } from '../../support/draw.js'
import { ask } from './read-all.js'
import {
  assertRoundTrip,
  assertSame,
  emptyEmulator,
  emulatorWith,
  stateOf,
  verdictOf,
} from './look.js'
import { kindOf, type StartKind } from './kind.js'
import { drawMutations, mutated, type Mutation } from './mutations.js'
import { smallWorld } from './small-world.js'

interface FieldInput {
  /** The name of a verb. */
  readonly verb: string
  readonly mutations: readonly Mutation[]
}

// As JavaScript calls: no compiler looks at these arguments.
// oxlint-disable-next-line typescript/no-explicit-any
type Given = any

interface Verb {
  /** Arguments that are accepted. */
  readonly args: readonly unknown[]
  readonly call: (emulator: Emulator, args: Given[]) => unknown
}

const groups = [{ trajectories: [{ reward: 1 }, { reward: 0 }] }]
const url = 'http://receiver.test/other'
const steps = [
  { event: 'training_started' },
  { event: 'gradient_step' },
  { event: 'training_ended' },
]
const own = { name: 'own', webhooks: [{ name: 'w', url }], secrets: { S: 's' }, jobs: [] }

/** Verbs of the package, each with arguments that it accepts. */
const verbs: Readonly<Record<string, Verb>> = {
  createEmulator: {
    args: [
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
    call: async (_emulator, [options]) => {
      await createEmulator(options).close()
    },
  },
  createWebhookSink: {
    args: [{}],
    call: (_emulator, [options]) => void createWebhookSink(options),
  },
  'models.create': {
    args: [{ name: 'm', project: 'p', entity: 'e', base_model: 'b' }],
    call: (emulator, [options]) => emulator.models.create(options),
  },
  'models.delete': { args: ['poet'], call: (emulator, [which]) => emulator.models.delete(which) },
  'jobs.start': {
    args: [{ model: 'poet', kind: 'rl', trajectory_groups: groups, timeline: steps }],
    call: (emulator, [options]) => emulator.jobs.start(options),
  },
  'jobs.start sft': {
    args: [{ model: { id: 'poet' }, kind: 'sft', examples: 3 }],
    call: (emulator, [options]) => emulator.jobs.start(options),
  },
  'jobs.get': { args: [{ model: 'poet' }], call: (emulator, [which]) => emulator.jobs.get(which) },
  'jobs.fail': {
    args: [{ model: 'poet' }, 'as it was told'],
    call: (emulator, [which, message]) => emulator.jobs.fail(which, message),
  },
  'jobs.finish': { args: [undefined], call: (emulator, [which]) => emulator.jobs.finish(which) },
  'jobs.advance': {
    args: [undefined, 2],
    call: (emulator, [which, events]) => emulator.jobs.advance(which, events),
  },
  'checkpoints.add': {
    args: [
      {
        model: 'poet',
        metrics: { 'val/reward': 0.5 },
        served_after: '1s',
        evicted_after: '2s',
        expires_after: '1h',
      },
    ],
    call: (emulator, [options]) => emulator.checkpoints.add(options),
  },
  'checkpoints.delete': {
    args: [1, { model: 'poet' }],
    call: (emulator, [step, options]) => emulator.checkpoints.delete(step, options),
  },
  'faults.add': {
    args: [
      { name: 'f', fault: 'status', status: 503, calls: 2, match: { operation: 'healthCheck' } },
    ],
    call: (emulator, [fault]) => emulator.faults.add(fault),
  },
  'faults.for': {
    args: [{ key: 'k', user: 'u', model: 'm' }],
    call: (emulator, [scope]) => emulator.faults.for(scope).add({ fault: 'hang' }),
  },
  'webhooks.add': {
    args: [
      {
        secrets: { OTHER: 'o' },
        webhooks: [{ name: 'other', url, secret: 'OTHER', retries: ['1s'] }],
        automations: [
          { name: 'a', webhook: 'other', event: 'RUN_STATE', payload: { a: '${run_name}' } },
        ],
      },
    ],
    call: (emulator, [parts]) => emulator.webhooks.add(parts),
  },
  'webhooks.setSecret': {
    args: ['SIGNING', 'rotated'],
    call: (emulator, [name, value]) => emulator.webhooks.setSecret(name, value),
  },
  'webhooks.removeSecret': {
    args: ['SIGNING'],
    call: (emulator, [name]) => emulator.webhooks.removeSecret(name),
  },
  'webhooks.remove': { args: ['hook'], call: (emulator, [name]) => emulator.webhooks.remove(name) },
  'webhooks.enable': { args: ['hook'], call: (emulator, [name]) => emulator.webhooks.enable(name) },
  'webhooks.test': {
    args: ['hook', { a: ['${alias}'] }],
    call: (emulator, [name, payload]) => emulator.webhooks.test(name, payload),
  },
  'webhooks.resend': {
    args: ['delivery'],
    call: (emulator, [id]) => emulator.webhooks.resend(id),
  },
  trigger: {
    args: [
      'RUN_STATE',
      {
        entity: 'e',
        project: 'p',
        version: 2,
        alias: 'best',
        author: 'ann',
        metadata: { deep: [1] },
        run: 'r',
        state: 'failed',
        metrics: { loss: 1 },
        to: 'hook',
      },
    ],
    call: (emulator, [type, facts]) => emulator.trigger(type, facts),
  },
  'clock.use': {
    args: ['auto', { speed: 2 }],
    call: (emulator, [mode, options]) => {
      emulator.clock.use(mode, options)
      // Real time must not pass.
      emulator.clock.use('manual')
    },
  },
  'clock.advance': { args: ['10m'], call: (emulator, [by]) => emulator.clock.advance(by) },
  'clock.advanceTo': {
    args: ['2026-03-01T00:00:00Z'],
    call: (emulator, [to]) => emulator.clock.advanceTo(to),
  },
  snapshot: {
    args: [{ secrets: false }],
    call: (emulator, [options]) => emulator.snapshot(options),
  },
  restore: {
    args: [{ format: 'svtrain-emulator snapshot', version: 1 }],
    call: (emulator, [snapshot]) => emulator.restore(snapshot),
  },
  follow: { args: [own], call: (emulator, [scenario]) => emulator.follow(scenario) },
  revise: { args: [own], call: (emulator, [scenario]) => emulator.revise(scenario) },
  reset: {
    args: [own, { seed: 3 }],
    call: (emulator, [scenario, options]) => emulator.reset(scenario, options),
  },
  settle: {
    args: [undefined, { within: 50, most: 100 }],
    call: (emulator, [, options]) => emulator.settle(undefined, { within: 50, ...options }),
  },
  'requests.all': {
    args: [{ operation: 'health', method: 'GET', path: '/v1/*', status: 200 }],
    call: (emulator, [pattern]) => emulator.requests.all(pattern),
  },
  'requests.waitFor': {
    args: ['health', { within: 1 }],
    // What is allowed may take days: a long time, and a pattern that no request has.
    call: (emulator, [pattern, options]) =>
      Promise.race([emulator.requests.waitFor(pattern, options), setTimeout(10)]),
  },
  assertClientChecks: {
    args: [{ duplicateJobs: false }],
    call: (emulator, [checks]) => emulator.assertClientChecks(checks),
  },
  report: {
    args: [{ title: 'a', contents: 'redacted' }],
    call: (emulator, [options]) => emulator.report(options),
  },
  har: { args: [{ contents: 'redacted' }], call: (emulator, [options]) => emulator.har(options) },
}

const names = Object.keys(verbs)

/** Verbs that have no effect on a world, or wait for real time. */
const slow: readonly string[] = ['requests.waitFor', 'report', 'settle']

/** What tests pass to the verbs of the package, with values of wrong kinds. */
export const startFields: StartKind = async () => {
  const { snapshot } = await smallWorld()
  let emulator = emulatorWith(snapshot)
  const other = emptyEmulator()
  let before = stateOf(emulator)

  return kindOf<FieldInput>({
    draw(draw) {
      const verb = drawVerb(draw)
      const { args } = verbs[verb]!
      return { verb, mutations: drawMutations(draw, args, { inCode: true, most: 2 }) }
    },

    async attempt({ verb, mutations }) {
      const { args, call } = verbs[verb]!
      const given = mutated(args, mutations)
      const verdict = await verdictOf(() => call(emulator, Array.isArray(given) ? given : [given]))
      const after = savedState(verb)
      if (verdict === 'refused' && verb !== 'settle') {
        assertSame(before, after)
        return verdict
      }
      if (after === before) return verdict
      await emulator.webhooks.idle()
      for (const what of [
        'models',
        'jobs',
        'faults',
        'webhooks',
        'deliveries',
        'pending',
        'trace',
      ]) {
        await ask(emulator, `GET /_emulator/${what}`)
      }
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
  })

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
function drawVerb(draw: Draw): string {
  const verb = draw.oneOf(names)
  return slow.includes(verb) && !draw.isHit(0.1) ? draw.oneOf(names) : verb
}
