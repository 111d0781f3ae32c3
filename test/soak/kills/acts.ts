import { setTimeout as pause } from 'node:timers/promises'
import type { Draw } from '../../support/draw.js'
import type { Asked, Calls } from './calls.js'
import { atLeast, gone, is, notStalled, there, undecided } from './expected.js'
import type { Outcome, Truth } from './truth.js'

/** A client that changes its own things, one after the other. */
export interface Client {
  readonly who: string
  readonly draws: Draw
  readonly truth: Truth
  readonly calls: Calls
  /** The URLs of a receiver that answers 200, and of one that answers 410. */
  readonly receivers: { well: string; gone: string }
  /** The signed addresses for the contents of files, by the ids of the files. */
  readonly uploads: Map<string, string>
  /** A unique number in this run. */
  readonly unique: () => number
}

export type Act = (client: Client) => Promise<unknown>

const base_model = 'example/base-8b-instruct'
const messages = [{ role: 'user', content: 'Hello' }]
const aimless = { fault: 'status', status: 503, match: { operation: 'describeTrainingApi' } }

/** Makes one call that changes things, and records the expected result. */
export function change<T>(
  { truth, calls, who }: Client,
  id: string,
  { outcome = [], told, ...asked }: Asked & { outcome?: Outcome; told?: (answer: T) => Outcome },
): Promise<T | undefined> {
  const send = (): Promise<T | undefined> => calls.ask<T>(id, asked)
  return truth.change({ owner: who, outcome, ...(told && { told }), send })
}

/** Returns the id of one of the client's own things of a kind. Creates it if necessary. */
export async function mine(
  client: Client,
  kind: string,
  make: Act,
  like?: Parameters<Truth['keys']>[2],
): Promise<string | undefined> {
  const keys = (): string[] => client.truth.keys(client.who, `${kind}:`, like)
  if (keys().length === 0) await make(client)
  return keys()
    .at(-1)
    ?.slice(kind.length + 1)
}

const createModel: Act = (client) =>
  change<{ id: string }>(client, 'createModel', {
    body: { project: 'kills', name: `model-${client.unique()}`, base_model },
    told: ({ id }) => [
      [`model:${id}`, there],
      [`steps:${id}`, is([0])],
    ],
  })

/** A model with its first checkpoint, without jobs. */
const untrained = (client: Client) => mine(client, 'steps', createModel, is([0]))

const createJob: Act = (client) =>
  change<{ id: string }>(client, 'createJob', {
    body: { model: `trained-${client.unique()}` },
    told: ({ id }) => [[`job:${id}`, there]],
  })

/** Creates a model without an owner, so that no client deletes it, and a job on it. */
function trainOn(id: string, data: object): Act {
  return async (client) => {
    const body = { project: 'kills', name: `trained-${client.unique()}`, base_model }
    const model = await client.calls.ask<{ id: string }>('createModel', { body })
    if (!model) return
    await change<{ id: string }>(client, id, {
      body: { model_id: model.id, ...data },
      told: (job) => [[`job:${job.id}`, there]],
    })
  }
}

/** Lets a coding assistant create a job. Its other tools make the calls that clients make here. */
const callMcp: Act = (client) => {
  const params = { name: 'create_job', arguments: { model: `assisted-${client.unique()}` } }
  return change<{ result: { content: { text: string }[] } }>(client, 'callMcp', {
    body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    told: ({ result }) => {
      const id = /Created job (\S+)/.exec(result.content[0]!.text)?.[1]
      return id === undefined ? [] : [[`job:${id}`, there]]
    },
  })
}

function chat(id: string): Act {
  return (client) => {
    const key = `chats:${client.who}`
    return change(client, id, {
      body: { model: base_model, messages, max_tokens: 3 },
      headers: { 'openai-project': client.who },
      told: () => [[key, atLeast(client.truth.least(key) + 1)]],
    })
  }
}

function onJob(id: string, to: typeof there): Act {
  return async (client) => {
    const job_id = await mine(client, 'job', createJob, there)
    if (job_id === undefined) return
    await change(client, id, { path: { job_id }, outcome: [[`job:${job_id}`, to]] })
  }
}

const stallJob: Act = async (client) => {
  const created = await client.calls.ask<{ id: string }>('createJob', {
    body: { model: `trained-${client.unique()}` },
  })
  if (!created) return
  await change(client, 'stallJob', {
    path: { job_id: created.id },
    told: () => [[`job:${created.id}`, is('stalled')]],
  })
}

const addFault: Act = (client) =>
  change<{ id: string }>(client, 'addFault', {
    body: { ...aimless, open: client.draws.isHit(0.5) },
    told: (fault) => [
      [`fault:${fault.id}`, is((fault as unknown as { open: boolean }).open ? 'open' : 'closed')],
    ],
  })

const ofScenario = 'scenario-1'

function onFault(id: string, to: typeof there): Act {
  return async (client) => {
    const { who, truth, draws } = client
    if (truth.keys(who, 'fault:').length === 0) await addFault(client)
    const keys = truth.keys(who, 'fault:').filter((key) => {
      return to !== gone || !key.endsWith(ofScenario)
    })
    if (keys.length === 0) return
    const key = draws.oneOf(keys)
    const path = { fault_id: key.slice('fault:'.length) }
    await change(client, id, { path, outcome: [[key, to]] })
  }
}

/** Opens and closes one fault concurrently, then reads which call came last. */
const openAndClose: Act = async (client) => {
  const fault_id = await mine(client, 'fault', addFault)
  if (fault_id === undefined) return
  const key = `fault:${fault_id}`
  const either = { text: 'open or closed', holds: (found: unknown) => found !== undefined }
  const both = ['openFault', 'closeFault'].map((id) => {
    return change(client, id, { path: { fault_id }, outcome: [[key, either]] })
  })
  const ended = await Promise.allSettled(both)
  if (ended.some(({ status }) => status === 'rejected')) return
  await change<{ faults: { id: string; open: boolean }[] }>(client, 'listFaults', {
    told: ({ faults }) => {
      const seen = faults.find(({ id }) => id === fault_id)
      return seen ? [[key, is(seen.open ? 'open' : 'closed')]] : []
    },
  })
}

const setSecret: Act = (client) => {
  const { who, unique } = client
  const [name, value] = [`SECRET_OF_${who.toUpperCase().replace(' ', '_')}`, `secret ${unique()}`]
  return change(client, 'setSecret', {
    body: { name, value },
    outcome: [[`secret:${name}`, is(value)]],
  })
}

const removeSecret: Act = async (client) => {
  const name = await mine(client, 'secret', setSecret)
  if (name === undefined) return
  await change(client, 'removeSecret', { path: { name }, outcome: [[`secret:${name}`, gone]] })
}

const hookOf = ({ who }: Client): string => `hook of ${who}`

const addWebhook: Act = (client) => {
  const name = hookOf(client)
  const timeout = `${1000 + client.unique()}ms`
  return change(client, 'addWebhook', {
    body: { name, url: client.receivers.well, timeout },
    outcome: [[`webhook:${name}`, is(timeout)]],
  })
}

const hook = (client: Client) => mine(client, 'webhook', addWebhook)

const removeWebhook: Act = async (client) => {
  if ((await hook(client)) === undefined) return
  const name = hookOf(client)
  await change(client, 'removeWebhook', {
    path: { name },
    outcome: [
      [`webhook:${name}`, gone],
      [`automation:on ${name}`, gone],
    ],
  })
}

/** Lets a receiver disable a webhook, checks that it is disabled, and enables it again. */
const enableWebhook: Act = async (client) => {
  const name = `gone ${client.unique()}`
  const key = `disabled:${name}`
  const added = await change(client, 'addWebhook', {
    body: { name, url: client.receivers.gone },
    outcome: [[key, is(false)]],
  })
  if (!added) return
  const triggered = await change<{ deliveries: string[] }>(client, 'triggerEvent', {
    body: { event: 'RUN_STATE', run: name, state: 'failed', to: name },
    outcome: [[key, undecided]],
  })
  const [delivery_id] = triggered?.deliveries ?? []
  if (delivery_id === undefined) return
  for (let polls = 0; polls < 50; polls++) {
    const path = { delivery_id }
    const delivery = await client.calls.ask<{ state: string }>('readDelivery', { path })
    if (delivery?.state !== 'pending') break
    await pause(5)
  }
  interface Webhooks {
    webhooks: { name: string; disabled: string | null }[]
  }
  const seen = await change<Webhooks>(client, 'listWebhooks', {
    told: ({ webhooks }) => {
      const isDisabled = webhooks.find((each) => each.name === name)?.disabled
      return typeof isDisabled === 'string' ? [[key, is(true)]] : []
    },
  })
  if (!seen || client.truth.keys(client.who, key, is(true)).length === 0) return
  await change(client, 'enableWebhook', { path: { name }, outcome: [[key, is(false)]] })
}

const addAutomation: Act = async (client) => {
  if ((await hook(client)) === undefined) return
  const name = hookOf(client)
  const payload = { number: client.unique() }
  await change(client, 'addAutomation', {
    body: { name: `on ${name}`, webhook: name, event: 'LINK_ARTIFACT', payload },
    outcome: [[`automation:on ${name}`, is(payload)]],
  })
}

const removeAutomation: Act = async (client) => {
  const name = await mine(client, 'automation', addAutomation)
  if (name === undefined) return
  await change(client, 'removeAutomation', {
    path: { name },
    outcome: [[`automation:${name}`, gone]],
  })
}

const triggerEvent: Act = async (client) => {
  if ((await hook(client)) === undefined) return
  const run = `run ${client.unique()}`
  await change<{ deliveries: string[] }>(client, 'triggerEvent', {
    body: { event: 'RUN_STATE', run, state: 'finished', to: hookOf(client) },
    told: ({ deliveries }) => deliveries.map((id) => [`delivery:${id}`, atLeast(0)] as const),
  })
}

const resendDelivery: Act = async (client) => {
  if ((await hook(client)) === undefined) return
  const delivery_id = await mine(client, 'delivery', triggerEvent)
  if (delivery_id === undefined) return
  await change<{ attempts: unknown[] }>(client, 'resendDelivery', {
    path: { delivery_id },
    told: ({ attempts }) => [[`delivery:${delivery_id}`, atLeast(attempts.length)]],
  })
}

const resendDeliveries: Act = async (client) => {
  if ((await hook(client)) === undefined) return
  const delivery = await mine(client, 'delivery', triggerEvent)
  if (delivery === undefined) return
  await change<{ deliveries: { attempts: unknown[] }[] }>(client, 'resendDeliveries', {
    body: { delivery },
    told: ({ deliveries: [sent] }) => [[`delivery:${delivery}`, atLeast(sent!.attempts.length)]],
  })
}

function moveClock(id: string, body?: object): Act {
  return (client) =>
    change<{ now?: string; to?: string }>(client, id, {
      ...(body && { body }),
      told: ({ now, to }) => [['clock', atLeast(Date.parse((now ?? to)!))]],
    })
}

const groups = [{ trajectories: [{ reward: 1 }, { reward: 0 }] }]

function deletingModel(id: string): Act {
  return async (client) => {
    const model_id = await untrained(client)
    if (model_id === undefined) return
    const outcome = ['model', 'steps', 'reward'].map(
      (kind) => [`${kind}:${model_id}`, gone] as const,
    )
    await change(client, id, { path: { model_id }, outcome })
  }
}

/** The acts of clients, by operation. */
export const acts: Readonly<Record<string, Act>> = {
  createModel,
  deleteModel: deletingModel('deleteModel'),
  removeModel: deletingModel('removeModel'),
  async removeCheckpoint(client) {
    const model_id = await untrained(client)
    if (model_id === undefined) return
    await change(client, 'removeCheckpoint', {
      path: { model_id, step: '0' },
      outcome: [
        [`steps:${model_id}`, is([])],
        [`reward:${model_id}`, gone],
      ],
    })
  },
  async logTrajectories(client) {
    const model_id = await untrained(client)
    if (model_id === undefined) return
    const reward = client.unique()
    await change(client, 'logTrajectories', {
      path: { model_id },
      body: { split: 'val', trajectory_groups: [{ trajectories: [{ reward }] }] },
      outcome: [[`reward:${model_id}`, is(reward)]],
    })
  },
  async deleteCheckpoints(client) {
    const model_id = await untrained(client)
    if (model_id === undefined) return
    await change(client, 'deleteCheckpoints', {
      path: { model_id },
      body: { steps: [0] },
      outcome: [
        [`steps:${model_id}`, is([])],
        [`reward:${model_id}`, gone],
      ],
    })
  },
  createRlTrainingJob: trainOn('createRlTrainingJob', { trajectory_groups: groups }),
  createSftTrainingJob: trainOn('createSftTrainingJob', { training_data_url: 'artifact:///data' }),
  createChatCompletion: chat('createChatCompletion'),
  createChatCompletionSlashed: chat('createChatCompletionSlashed'),
  createInferenceChatCompletion: chat('createInferenceChatCompletion'),
  addModel: (client) =>
    change<{ models: { id: string }[] }>(client, 'addModel', {
      body: { name: `model-${client.unique()}` },
      told: ({ models }) => [
        [`model:${models[0]!.id}`, there],
        [`steps:${models[0]!.id}`, is([0])],
      ],
    }),
  createJob,
  callMcp,
  failJob: onJob('failJob', is('failed')),
  finishJob: onJob('finishJob', is('ended')),
  stallJob,
  async resumeJob(client) {
    const job_id = await mine(client, 'job', stallJob, is('stalled'))
    if (job_id === undefined) return
    const outcome = [[`job:${job_id}`, notStalled] as const]
    await change(client, 'resumeJob', { path: { job_id }, outcome })
  },
  addFault,
  removeFault: onFault('removeFault', gone),
  openFault: onFault('openFault', is('open')),
  closeFault: onFault('closeFault', is('closed')),
  'openFault and closeFault at once': openAndClose,
  setSecret,
  removeSecret,
  addWebhook,
  removeWebhook,
  enableWebhook,
  addAutomation,
  removeAutomation,
  triggerEvent,
  resendDelivery,
  resendDeliveries,
  advanceClock: moveClock('advanceClock', { by: '20ms' }),
  nextOnClock: moveClock('nextOnClock'),
  settleWorld: moveClock('settleWorld', { within: 200, most: 500 }),
}
