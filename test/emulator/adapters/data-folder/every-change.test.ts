import { describe, expect, it } from 'vitest'
import type { Emulator, ScenarioInput, Send, Snapshot } from '../../../../src/index.js'
import { operations } from '../../../../src/compose/control-table.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { jsonHeaders } from '../../../support/api-client.js'
import { graphql } from '../../../support/graphql.js'
import type { Run } from '../../../../src/service/platform/run.js'
import { aRun } from '../../../support/platform-records.js'
import { caller } from '../../control/control.js'
import { expectSaved, type Change } from './world-on-disk.js'
import { openEmulator } from '../../open-emulator.js'

const base_model = 'example/base-8b-instruct'
const groups = [{ trajectories: [{ reward: 1 }, { reward: 0 }] }]

/** A receiver that answers with these statuses, one after the other, and then not at all. */
function receiver(...statuses: number[]): Send {
  return () => {
    const status = statuses.shift()
    return status === undefined ? new Promise(() => {}) : Promise.resolve({ status, body: '' })
  }
}

const webhook = { name: 'hook', url: 'http://receiver.test/hook', retries: ['1h'] }
const automation = { name: 'states', webhook: 'hook', event: 'RUN_STATE', payload: {} } as const

const scenario: ScenarioInput = {
  name: 'busy',
  base_models: [base_model],
  faults: [
    { name: 'outage', fault: 'status', status: 503, match: { operation: 'describeTrainingApi' } },
    {
      name: 'later',
      fault: 'status',
      status: 503,
      match: { operation: 'describeTrainingApi' },
      open: false,
    },
  ],
  timeline: [{ at: '1h', do: 'open_fault', fault: 'later' }],
}

interface World {
  emulator: Emulator
  model: string
  /** A job that runs. */
  job: string
  /** A job of another model that is stalled. */
  stalled: string
  /** A fault that was added. */
  fault: string
  delivery: string
  run: Run
  /** Of another world. */
  snapshot: Snapshot
}

/** A world on disk that has one of everything, with a delivery that waits for its next attempt. */
async function busyWorld(data: string, send: Send): Promise<World> {
  const emulator = openEmulator({ data, scenario, send })
  await emulator.ready()
  const { id: model } = await emulator.models.create({ name: 'poet' })
  await emulator.models.create({ name: 'painter' })
  const job = await emulator.jobs.start({ model: 'poet' })
  const stalled = await emulator.jobs.start({ model: 'painter' })
  emulator.clock.advance('2s')
  const control = caller(emulator, emulator.fetch)
  await control(`POST /jobs/${stalled.id}/stall`)
  const match = { operation: 'describeTrainingApi' }
  const { body: fault } = await control('POST /faults', { fault: 'status', status: 500, match })
  const run = aRun(emulator)
  emulator.webhooks.add({
    secrets: { SECRET: 'a secret' },
    webhooks: [webhook],
    automations: [automation],
  })
  await emulator.trigger('RUN_STATE', { run: 'poet', state: 'failed' })
  await emulator.webhooks.idle()
  const other = openEmulator({ scenario: 'failing-job' })
  await other.models.create({ name: 'sculptor' })
  return {
    emulator,
    model,
    job: job.id,
    stalled: stalled.id,
    fault: fault.id,
    delivery: emulator.webhooks.deliveries[0]!.id,
    run,
    snapshot: await other.snapshot(),
  }
}

interface Case extends Change {
  /** The values of the path parameters. */
  path?: (world: World) => Record<string, string>
  /** The address, if the path alone is not enough. */
  address?: (world: World) => Promise<string>
  body?: (world: World) => unknown
  headers?: Record<string, string>
  /** The answers of the receiver. The first one is sent before the call. */
  answers?: number[]
  /** The call that comes before it. */
  after?: string
}

const messages = [{ role: 'user', content: 'Hello' }]
// The tokens of a project are counted.
const chat: Case = {
  body: () => ({ model: base_model, messages }),
  headers: { 'openai-project': 'verse' },
}
const onModel: Case['path'] = ({ model }) => ({ model_id: model })
const onJob: Case['path'] = ({ job }) => ({ job_id: job })
const onWebhook: Case['path'] = () => ({ name: 'hook' })

/** One call of each row that may change something. */
const cases: Readonly<Record<string, Case>> = {
  createChatCompletion: chat,
  createChatCompletionSlashed: chat,
  createInferenceChatCompletion: chat,
  createModel: { body: () => ({ project: 'p', name: 'new', base_model }) },
  deleteModel: { path: onModel },
  logTrajectories: { path: onModel, body: () => ({ split: 'val', trajectory_groups: groups }) },
  deleteCheckpoints: { path: onModel, body: () => ({ steps: [0] }) },
  createRlTrainingJob: { body: ({ model }) => ({ model_id: model, trajectory_groups: groups }) },
  createSftTrainingJob: {
    body: ({ model }) => ({ model_id: model, training_data_url: 'artifact:///data' }),
  },
  changeClock: {
    body: () => ({ mode: 'auto', speed: 7 }),
    keepsNothing: 'mode and speed of the clock belong to the process',
  },
  advanceClock: { body: () => ({ by: 0.5 }) },
  nextOnClock: {},
  settleWorld: { answers: [500, ...Array.from({ length: 9 }, () => 200)] },
  chooseScenario: { body: () => ({ name: 'failing-job' }) },
  resetWorld: {},
  // Each trial starts in a fresh world.
  startExploration: {},
  nextTrial: { body: () => ({ ended: 'success' }), after: 'startExploration' },
  openProxy: { body: () => ({}), keepsNothing: 'a proxy belongs to the process' },
  readBill: { body: () => ({}), keepsNothing: 'it only reads' },
  restoreSnapshot: { body: ({ snapshot }) => snapshot },
  addModel: { body: () => ({ name: 'new' }) },
  removeModel: { path: onModel },
  removeCheckpoint: { path: ({ model }) => ({ model_id: model, step: '0' }) },
  createJob: { body: () => ({ model: 'new' }) },
  callMcp: {
    body: () => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'create_job', arguments: { model: 'new' } },
    }),
  },
  failJob: { path: onJob, body: () => ({ error_message: 'No more space' }) },
  finishJob: { path: onJob },
  stallJob: { path: onJob },
  resumeJob: { path: ({ stalled }) => ({ job_id: stalled }) },
  addFault: { body: () => ({ fault: 'hang' }) },
  clearFaults: {},
  removeFault: { path: ({ fault }) => ({ fault_id: fault }) },
  openFault: { path: () => ({ fault_id: 'scenario-2' }) },
  closeFault: { path: () => ({ fault_id: 'scenario-1' }) },
  setSecret: { body: () => ({ name: 'SECRET', value: 'another secret' }) },
  removeSecret: { path: () => ({ name: 'SECRET' }) },
  addWebhook: { body: () => ({ ...webhook, timeout: '3s' }) },
  removeWebhook: { path: onWebhook },
  checkScenario: { body: () => ({ yaml: 'name: checked' }), keepsNothing: 'it only reads' },
  testWebhook: { path: onWebhook, answers: [500, 200], keepsNothing: 'a test leaves no delivery' },
  explainSignature: {
    path: onWebhook,
    body: () => ({ headers: {}, body: '{}' }),
    keepsNothing: 'it only reads',
  },
  enableWebhook: { path: onWebhook, answers: [410] },
  addAutomation: { body: () => ({ ...automation, run: { name: 'poet' } }) },
  removeAutomation: { path: () => ({ name: 'states' }) },
  triggerEvent: { body: () => ({ event: 'RUN_STATE', run: 'painter', state: 'failed' }) },
  openSink: { endsWithTheProcess: 'webhook receiver' },
  // test/emulator/adapters/data-folder/every-mutation.test.ts has the others.
  platformGraphql: {
    body: () => ({ query: 'mutation { upsertModel(input: { name: "new" }) { inserted } }' }),
  },
  dropTelemetry: { path: () => ({ signal: 'logs' }), keepsNothing: 'telemetry is dropped' },
  streamRun: {
    path: ({ run: { entity, project, name } }) => ({ entity, project: project.name, run: name }),
    body: () => ({ files: { 'output.log': { offset: 0, content: ['hello'] } } }),
  },
  putArtifact: { body: () => ({ name: 'rows', files: { 'a.jsonl': '{}' } }) },
  uploadFile: { address: uploadAddress, body: () => 'other' },
  resendDelivery: { path: ({ delivery }) => ({ delivery_id: delivery }), answers: [500, 200] },
  resendDeliveries: { body: ({ delivery }) => ({ delivery }), answers: [500, 200] },
}

const rows = operations.filter(({ method }) => method !== 'GET')

async function call(world: World, id: string): Promise<number> {
  const { emulator } = world
  const row = rows.find((each) => each.id === id)!
  const { path, address, body, headers: more } = cases[id]!
  const given = path?.(world) ?? {}
  const filled = row.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => given[name]!)
  const base = row.host === 'inference' ? emulator.inferenceUrl : emulator.trainingUrl
  const headers = { ...jsonHeaders(), ...more }
  const init = { method: row.method, headers, ...(body && { body: JSON.stringify(body(world)) }) }
  const url = (await address?.(world)) ?? new URL(filled, base)
  return (await emulator.fetch(url, init)).status
}

/** Where the file of the run is uploaded to. */
async function uploadAddress({ emulator, run }: World): Promise<string> {
  const query = `{ project(name: "${run.project.name}", entityName: "${run.entity}") {
    run(name: "${run.name}") { files { edges { node { url(upload: true) } } } } } }`
  const { data } = await graphql({ emulator, fetch: emulator.fetch }, query)
  return data.project.run.files.edges[0].node.url as string
}

describe('every acknowledged change is on disk when the process is killed', () => {
  it('there is a case for each operation that changes something', () => {
    expect(Object.keys(cases).sort()).toEqual(rows.map(({ id }) => id).sort())
  })

  it.each(Object.keys(cases))('%s', async (id) => {
    const data = temporaryFolder()
    const { answers = [500], after, ...kept } = cases[id]!
    const world = await busyWorld(data, receiver(...answers))
    if (after !== undefined) await call(world, after)
    const change = async () => expect(await call(world, id)).toBe(200)
    await expectSaved({ emulator: world.emulator, data }, change, kept)
  })
})
