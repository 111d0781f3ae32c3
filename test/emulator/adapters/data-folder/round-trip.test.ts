import { setImmediate } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  builtInScenarios,
  createEmulator,
  type Emulator,
  type Send,
  type Snapshot,
} from '../../../../src/index.js'
import { leftBy } from './world-on-disk.js'
import { folderInMemory } from '../../../support/temporary-folder.js'
import { jsonHeaders } from '../../../support/api-client.js'

const url = 'http://receiver.test/hook'

/** A receiver that is not always well. */
const send: Send = ({ body }) =>
  Promise.resolve({ status: [200, 500, 410][body.length % 3]!, body: '' })

function open(options: Parameters<typeof createEmulator>[0] = {}): Emulator {
  return createEmulator({ clock: 'manual', send, ...options })
}

async function call(emulator: Emulator, line: string, body?: object): Promise<void> {
  const [method, path] = line.split(' ') as [string, string]
  const base = path.startsWith('/chat') ? emulator.inferenceUrl : emulator.trainingUrl
  const headers = jsonHeaders()
  const signal = AbortSignal.timeout(20)
  const init = { method, headers, signal, ...(body && { body: JSON.stringify(body) }) }
  // The effect of a fault is part of the world.
  await emulator
    .fetch(base + path, init)
    .then((answer) => answer.text())
    .catch(() => '')
}

function modelOf(emulator: Emulator, which: number): string {
  const models = emulator.db.models.all()
  return models[which % models.length]?.id ?? 'none'
}

type Act = (emulator: Emulator) => unknown

const nth = fc.nat({ max: 3 })
const base_model = 'example/base-8b-instruct'

/** Any change of a world. */
const act: fc.Arbitrary<Act> = fc.oneof(
  {
    weight: 3,
    arbitrary: nth.map((of): Act => (emulator) => {
      return call(emulator, 'POST /preview/models', {
        project: 'p',
        name: `model-${of}`,
        base_model,
      })
    }),
  },
  {
    weight: 4,
    arbitrary: fc.tuple(nth, nth).map(([of, length]): Act => (emulator) => {
      const trajectories = Array.from({ length: length + 1 }, (_, reward) => ({ reward }))
      const model_id = modelOf(emulator, of)
      return call(emulator, 'POST /preview/training-jobs', {
        model_id,
        trajectory_groups: [{ trajectories }],
      })
    }),
  },
  nth.map((of): Act => (emulator) => {
    const body = { model_id: modelOf(emulator, of), training_data_url: `artifact:///data-${of}` }
    return call(emulator, 'POST /preview/sft-training-jobs', body)
  }),
  {
    weight: 4,
    arbitrary: fc.constantFrom('300ms', '1s', '7s', '5m').map(
      (by): Act =>
        ({ clock }) =>
          clock.advance(by),
    ),
  },
  nth.map(
    (of): Act =>
      (emulator) =>
        call(emulator, `DELETE /preview/models/${modelOf(emulator, of)}`),
  ),
  nth.map((of): Act => (emulator) => {
    return call(emulator, `DELETE /preview/models/${modelOf(emulator, of)}/checkpoints`, {
      steps: [of],
    })
  }),
  nth.map((of): Act => (emulator) => {
    const messages = [{ role: 'user', content: `Question ${of}` }]
    return call(emulator, 'POST /chat/completions', { model: base_model, messages })
  }),
  fc.constantFrom('stall', 'resume', 'fail', 'finish').map((what): Act => async (emulator) => {
    const job = emulator.jobs.all[0]?.id ?? 'none'
    await emulator.fetch(new URL(`/_emulator/jobs/${job}/${what}`, emulator.trainingUrl), {
      method: 'POST',
    })
  }),
  fc
    .constantFrom<Parameters<Emulator['faults']['add']>[0]>(
      { fault: 'status', status: 503, calls: 1 },
      { fault: 'rate_limit', requests: 2, within: '1m', per: 'key' },
      { fault: 'status', status: 500, match: { key: 'other' }, open: false },
    )
    .map(
      (fault): Act =>
        ({ faults }) =>
          faults.add(fault),
    ),
  fc.constant<Act>(({ webhooks }) => {
    // Retries continue with their first rule, and a rule with the same name replaces it.
    if (webhooks.pending > 0) return
    webhooks.add({
      secrets: { SECRET: 'a secret' },
      webhooks: [{ name: 'hook', url, secret: 'SECRET', retries: ['10s', '1m'] }],
      automations: [
        {
          name: 'states',
          webhook: 'hook',
          event: 'RUN_STATE',
          payload: { state: '${run_state}' },
          once_per_run_per_day: true,
        },
      ],
    })
  }),
  fc.constant<Act>(({ webhooks }) => {
    if (webhooks.parts.webhooks.some(({ name }) => name === 'hook')) webhooks.remove('hook')
  }),
  fc.constant<Act>(({ webhooks }) => webhooks.setSecret('SECRET', 'another secret')),
  fc.constant<Act>(({ webhooks }) => {
    if ('SECRET' in webhooks.parts.secrets) webhooks.removeSecret('SECRET')
  }),
  fc.constant<Act>((emulator) => emulator.trigger('RUN_STATE', { run: 'poet', state: 'failed' })),
  fc.tuple(nth, fc.boolean()).map(([of, opens]): Act => ({ engine }) => {
    const { all } = engine.faults
    if (all.length > 0) all[of % all.length]!.open = opens
  }),
  fc.constant<Act>((emulator) => emulator.reset()),
  fc.constantFrom(...builtInScenarios).map(
    (scenario): Act =>
      (emulator) =>
        emulator.follow(scenario),
  ),
)

async function goesOnFrom(snapshot: Snapshot): Promise<Emulator> {
  const emulator = open()
  emulator.restore(JSON.parse(JSON.stringify(snapshot)))
  await emulator.ready()
  await emulator.webhooks.idle()
  return emulator
}

function hiddenIn({ secrets }: Snapshot): unknown {
  return JSON.parse(atob(secrets!))
}

/** The models and jobs of the world after an hour. */
async function future(emulator: Emulator): Promise<unknown> {
  emulator.clock.advance('1h')
  await emulator.webhooks.idle()
  const { records } = await emulator.snapshot({ secrets: false })
  return records.filter(({ kind }) => ['model', 'checkpoint', 'job', 'progress'].includes(kind))
}

it(
  'any world is the same byte for byte after an export, an import and another export',
  { timeout: 120_000 },
  async () => {
    const beginning = fc.record({
      scenario: fc.constantFrom(...builtInScenarios.map(({ name }) => name)),
      seed: fc.nat(),
    })
    await fc.assert(
      fc.asyncProperty(
        beginning,
        fc.array(act, { minLength: 5, maxLength: 30 }),
        async (options, acts) => {
          const emulator = open(options)
          await emulator.jobs.start({
            model: (await emulator.models.create({ name: 'poet' })).name,
          })
          for (const each of acts) {
            await each(emulator)
            // Delayed requests are done now, and can trigger webhooks.
            await setImmediate()
            await emulator.webhooks.idle()
          }
          const text = JSON.stringify(await emulator.snapshot())
          const readable = JSON.stringify(await emulator.snapshot({ secrets: false }))
          const other = await goesOnFrom(JSON.parse(text) as Snapshot)
          const again = await other.snapshot()
          expect(hiddenIn(again)).toEqual(hiddenIn(JSON.parse(text) as Snapshot))
          expect(JSON.stringify(again)).toBe(text)
          const without = await goesOnFrom(JSON.parse(readable) as Snapshot)
          expect(JSON.stringify(await without.snapshot({ secrets: false }))).toBe(readable)
          // A delayed response is not saved, and its request has no effect yet.
          if (emulator.engine.delayed.size === 0 && emulator.inFlight === 0) {
            expect(await future(other)).toEqual(await future(emulator))
          }
          await Promise.all([emulator.close(), other.close(), without.close()])
        },
      ),
      { numRuns: 80 },
    )
  },
)

/** Opens the world that the next process finds if this one is killed now. */
async function nextProcess(data: string): Promise<Emulator> {
  const emulator = open({ data: leftBy(data), send: () => new Promise(() => {}) })
  await emulator.ready()
  return emulator
}

it(
  'the data folder holds the same world as the process after each change',
  { timeout: 120_000 },
  async () => {
    const scenario = fc.constantFrom(...builtInScenarios.map(({ name }) => name))
    await fc.assert(
      fc.asyncProperty(
        scenario,
        fc.array(act, { minLength: 1, maxLength: 12 }),
        async (name, acts) => {
          const data = folderInMemory()
          const emulator = open({ data, scenario: name })
          await emulator.models.create({ name: 'poet' })
          for (const each of acts) {
            await each(emulator)
            await setImmediate()
            await emulator.webhooks.idle()
            await emulator.fetch(new URL('/_emulator/clock', emulator.trainingUrl))
            const next = await nextProcess(data)
            const [here, there] = [await emulator.snapshot(), await next.snapshot()]
            expect(there.records).toEqual(here.records)
            expect(hiddenIn(there)).toEqual(hiddenIn(here))
            await next.close()
          }
          await emulator.close()
        },
      ),
      { numRuns: 40 },
    )
  },
)
