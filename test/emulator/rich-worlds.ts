import { createClient } from '../../src/client.js'
import {
  createEmulator,
  defaultWebhooks,
  type Emulator,
  type ScenarioInput,
} from '../../src/index.js'
import { parseScenario } from '../../src/service/scenario/scenario-yaml.js'
import { clientOf } from '../support/api-client.js'
import { fillPlatform } from './rich-platform.js'
import { chat } from '../support/trainer.js'

const url = 'http://receiver.test/hook'
const groups = [{ trajectories: [{ reward: 1 }, { reward: 0 }] }, { trajectories: [{ reward: 1 }] }]

/** A scenario file that uses some of every feature. */
const file = `
name: everything
seed: 5
auth:
  keys: { key-of-ann: { user: ann } }
base_models: [example/base-8b-instruct, example/base-14b-instruct]
models:
  - { project: p, name: given, base_model: example/base-8b-instruct }
jobs:
  - match: { model: stuck* }
    timeline: [{ event: training_started }, { event: never }]
  - match: { model: long* }
    timeline:
      - { event: pause, for: 1s }
      - { event: training_started, data: { note: hello } }
      - { event: gradient_step, count: 30, every: 1s, jitter: 200ms, metrics: { loss: { curve: linear, from: 1, to: 0 } } }
      - { event: checkpoint, metrics: { val/loss: 0.5 }, evicted_after: 1h, expires_after: 2h }
      - { event: gradient_step, count: 2 }
      - { event: training_ended, checkpoint: { served_after: 10s } }
chat:
  rules:
    - { match: { user: hello }, answers: [one, two] }
faults:
  - { name: outage, fault: status, status: 503, open: false }
  - { fault: delay, delay: 1ms, during: { from: 1h, to: 2h } }
secrets: { SIGNING: a-secret, OLD: an-older-one }
webhooks:
  - { name: hook, url: "${url}", secret: SIGNING, retries: [10s, 1h], adversary: [{ do: duplicate, deliveries: 2 }, { do: late, deliveries: 3 }] }
automations:
  - { name: states, webhook: hook, event: RUN_STATE, payload: { state: "\${run_state}" }, once_per_run_per_day: true }
  - { name: loss, webhook: hook, event: RUN_METRIC, metric: loss, is: below, threshold: 0.9, window: 3 }
  - { name: versions, webhook: hook, event: CREATE_ARTIFACT }
  - { name: best, webhook: hook, event: ADD_ARTIFACT_ALIAS, alias: best }
automation_limits: { rate: { firings: 1000, within: 1h } }
timeline:
  - { at: 1h, do: open_fault, fault: outage }
  - { after: { event: checkpoint_added, step: 1 }, do: add_alias, alias: best }
  - { after: { event: training_started }, wait: 5m, do: add_tag, tag: started }
`

function open(scenario: string | ScenarioInput): Emulator {
  // A receiver that fails half of the deliveries.
  return createEmulator({
    scenario,
    clock: 'manual',
    send: ({ body }) =>
      Promise.resolve({ status: body.length % 2 === 0 ? 200 : 500, body: 'heard' }),
  })
}

async function ask(emulator: Emulator, content: string): Promise<void> {
  await chat(clientOf(emulator).inference, content)
}

async function sft(emulator: Emulator, model_id: string): Promise<void> {
  const job = { model_id, training_data_url: 'artifact:///data' }
  await clientOf(emulator).post('/preview/sft-training-jobs', job)
}

async function pass(emulator: Emulator, time: string): Promise<void> {
  emulator.clock.advance(time)
  await emulator.webhooks.idle()
}

/** A world with jobs of all kinds and states, all kinds of faults, and deliveries in retry. */
async function busy(): Promise<Emulator> {
  const emulator = open('happy-path')
  const { secrets, webhooks, automations } = defaultWebhooks({ url, secret: 'a-secret' })
  emulator.webhooks.add({
    secrets: { ...secrets, OTHER: 'another' },
    webhooks: webhooks.map((each) => ({ ...each, retries: ['10s', '2h'] })),
    automations,
  })
  const [poet, painter, gone] = await Promise.all(
    ['poet', 'painter', 'gone'].map((name) => emulator.models.create({ name })),
  )
  await emulator.jobs.start({ model: poet!, trajectory_groups: groups })
  await emulator.jobs.start({ model: poet!, trajectory_groups: groups })
  await emulator.jobs.start({ model: gone! })
  await sft(emulator, painter!.id)
  await pass(emulator, '3s')
  emulator.jobs.fail(undefined, 'as it was told')
  await emulator.jobs.start({ model: painter! })
  emulator.models.delete(gone!)
  await pass(emulator, '15s')
  await emulator.checkpoints.add({ model: poet!, metrics: { 'val/x': 1 } })
  emulator.checkpoints.delete(0, { model: poet! })
  await ask(emulator, 'hello')
  emulator.faults.add({ fault: 'rate_limit', requests: 5, within: '1m', per: 'key' })
  emulator.faults.for({ key: 'other' }).add({ fault: 'status', status: 503, open: false })
  await ask(emulator, 'hello again')
  await emulator.trigger('RUN_STATE', { run: 'poet', state: 'failed' })
  emulator.webhooks.removeSecret('OTHER')
  await emulator.jobs.start({ model: painter!, trajectory_groups: groups })
  await pass(emulator, '2s')
  fillPlatform(emulator)
  return emulator
}

/** A world of a scenario file, with a stalled job and a job that never ends. */
async function scripted(): Promise<Emulator> {
  const emulator = open(parseScenario(file, 'everything.yaml'))
  const [long, stuck] = await Promise.all(
    ['long-one', 'stuck-one'].map((name) => emulator.models.create({ name })),
  )
  await emulator.jobs.start({ model: long!, trajectory_groups: groups })
  await emulator.jobs.start({ model: stuck! })
  await pass(emulator, '20s')
  await ask(emulator, 'hello')
  await pass(emulator, '20s')
  const { jobs } = createClient({ url: emulator.trainingUrl, fetch: emulator.fetch })
  await jobs.stall(emulator.jobs.all.find(({ status }) => status === 'running')!.id)
  return emulator
}

/** A world far in the future, whose receiver is down. */
async function late(): Promise<Emulator> {
  const emulator = open('webhook-receiver-down')
  emulator.clock.advanceTo('2100-01-01T00:00:00Z')
  emulator.webhooks.add({ webhooks: [{ name: 'own', url, adversary: [{ do: 'delayed' }] }] })
  await emulator.jobs.start()
  await emulator.trigger('CREATE_ARTIFACT', { to: 'own', metadata: { deep: [{ er: 1 }] } })
  await pass(emulator, '3s')
  return emulator
}

/** Worlds that together contain everything that a snapshot can contain. The caller closes them. */
export const richWorlds: Readonly<Record<string, () => Promise<Emulator>>> = {
  busy,
  scripted,
  late,
}
