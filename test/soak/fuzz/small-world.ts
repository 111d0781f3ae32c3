import { createEmulator, type Snapshot } from '../../../src/index.js'
import { parseScenario } from '../../../src/service/scenario/scenario-yaml.js'
import { send } from './look.js'

/** A world with one of each kind of thing, so that it is restored quickly. */
export interface SmallWorld {
  readonly snapshot: Snapshot
  /** The ids and names of what is in it, by the parameters that take them. */
  readonly named: Readonly<Record<string, readonly string[]>>
  /** All of them. */
  readonly ids: readonly string[]
}

const file = `
name: small
jobs:
  - timeline:
      - { event: training_started }
      - { event: gradient_step, count: 5, every: 1s, metrics: { loss: { curve: linear, from: 1, to: 0 } } }
      - { event: training_ended }
chat:
  rules:
    - { match: { user: hello }, answers: [one, two] }
faults:
  - { name: outage, fault: status, status: 503, open: false }
secrets: { SIGNING: a-secret }
webhooks:
  - { name: hook, url: "http://receiver.test/hook", secret: SIGNING, retries: [1h] }
automations:
  - { name: states, webhook: hook, event: RUN_STATE }
timeline:
  - { at: 2h, do: open_fault, fault: outage }
`

let prepared: Promise<SmallWorld> | undefined

export function smallWorld(): Promise<SmallWorld> {
  return (prepared ??= create())
}

async function create(): Promise<SmallWorld> {
  await using emulator = createEmulator({
    scenario: parseScenario(file, 'small.yaml'),
    clock: 'manual',
    send,
  })
  const model = await emulator.models.create({ name: 'poet' })
  const done = await emulator.jobs.start({ model })
  emulator.clock.advance('1m')
  await emulator.webhooks.idle()
  const running = await emulator.jobs.start({ model })
  emulator.clock.advance('2s')
  await emulator.webhooks.idle()
  emulator.faults.add({ fault: 'delay', delay: '1ms', match: { operation: 'healthCheck' } })
  const faults = emulator.engine.faults.all.map(({ name }) => name)
  const deliveries = emulator.webhooks.deliveries.slice(-2).map(({ id }) => id)
  const named = {
    model_id: [model.id],
    job_id: [done.id, running.id],
    fault_id: faults,
    delivery_id: deliveries,
    model: ['poet'],
    name: ['hook', 'states', 'SIGNING'],
    step: ['1', '0'],
  }
  return { snapshot: await emulator.snapshot(), named, ids: Object.values(named).flat() }
}
