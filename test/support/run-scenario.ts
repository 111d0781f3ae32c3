import { GaveUp, PerseveringClient, type Event } from './persevering-client.js'
import type { Receiver } from './receiver.js'
import { groups } from './trainer.js'
import type { Api } from './transports.js'

type Kind = 'rl' | 'sft'

/** The number of tasks between two polls. Pages get full, and the journal does not overflow. */
const LONG_STRIDE = 100

interface Played {
  api: Api
  client: PerseveringClient
  kind: Kind
  modelId: string
  jobId: string
}

/** What the client also does at each poll, if a scenario needs it to show its effect. */
const asides: Readonly<Record<string, (played: Played) => Promise<void>>> = {
  'checkpoints-on-the-way': listCheckpoints,
}

/** What the client does after the job, if a scenario shows its effect only then. */
const sequels: Readonly<Record<string, (played: Played) => Promise<void>>> = {
  'adversarial-pagination': (played) => readEverythingAgain(played, 3),
  'stale-cursor': (played) => readEverythingAgain(played, 3),
  'moving-pages': (played) => readEverythingAgain(played, 1),
  'duplicate-submission': seeWhatElseWasTrained,
  'commit-then-fail': seeWhatElseWasTrained,
  async 'checkpoint-not-served'(played) {
    await listCheckpoints(played)
    await played.client.chat(served(played, 'latest'))
    const stepOne = served(played, 'step1')
    while ((await played.client.chat(stepOne)) === 404) played.client.wait(2_500)
  },
  async 'checkpoint-evicted'(played) {
    const stepOne = served(played, 'step1')
    while ((await played.client.chat(stepOne)) === 200) played.client.wait(1_000)
    await played.client.chat(served(played, 'latest'))
    await listCheckpoints(played)
  },
  async 'system-check-degraded'({ client }) {
    await client.tryOnce({ method: 'GET', path: '/health' })
    await client.tryOnce({ method: 'GET', path: '/system-check' })
  },
  async 'quota-exhausted'(played) {
    const { client } = played
    for (let chats = 1; chats <= 4; chats++) await client.chat(served(played, 'latest'))
    await anotherJob(played, 'second')
    await anotherJob(played, 'third')
  },
  'two-jobs': (played) => anotherJob(played, 'second'),
  'nothing-to-train': listCheckpoints,
  'empty-batch': listCheckpoints,
}

async function readEverythingAgain(played: Played, limit: number): Promise<void> {
  const { client, jobId, modelId } = played
  client.note(`reads all events again, ${limit} at a time`)
  client.forget()
  const events = await client.list(`/preview/training-jobs/${jobId}/events`, { limit })
  client.note(`has read ${events.map((event) => (event as Event).type).join(', ')}`)
  client.note(`reads all checkpoints, ${limit} at a time`)
  const checkpoints = await client.list(`/preview/models/${modelId}/checkpoints`, { limit })
  client.note(`has read checkpoints ${steps(checkpoints)}`)
}

async function listCheckpoints({ client, modelId }: Played): Promise<void> {
  const { data } = await client.persevere({
    method: 'GET',
    path: `/preview/models/${modelId}/checkpoints`,
  })
  client.note(`lists checkpoints ${steps(data)}`)
}

function steps(checkpoints: readonly object[]): string {
  return checkpoints.map((checkpoint) => (checkpoint as { step: number }).step).join(', ')
}

async function seeWhatElseWasTrained(played: Played): Promise<void> {
  const made = played.api.emulator.journal.entries.flatMap((entry) => {
    return entry.kind === 'request'
      ? entry.effects.filter((effect) => effect.startsWith('queued'))
      : []
  })
  played.client.note(`has made ${made.length === 1 ? 'one job' : `${made.length} jobs`} in all`)
  await listCheckpoints(played)
}

async function anotherJob({ client, kind, modelId }: Played, name: string): Promise<void> {
  try {
    client.note(`submits a ${name} job`)
    const jobId = await client.createJob(kind, submission(kind, { modelId, data: name }))
    await follow(client, jobId, {})
  } catch (error) {
    if (!(error instanceof GaveUp)) throw error
  }
}

function served({ kind }: Played, suffix: string): string {
  return `local-team/my-project/${modelNames[kind]}:${suffix}`
}

const modelNames = { rl: 'my-model', sft: 'another' }

/** What the client submits if a scenario shows its effect only with such trajectories. */
const batches: Readonly<Record<string, readonly object[]>> = {
  'empty-batch': [
    { exceptions: [{ type: "<class 'openai.InternalServerError'>", message: '', traceback: '' }] },
  ],
  'nothing-to-train': [{ trajectories: [{ reward: 0 }, { reward: 0 }] }],
}

interface Submission {
  modelId: string
  scenario?: string
  data?: string
}

function submission(kind: Kind, { modelId: model_id, scenario = '', data = 'd' }: Submission) {
  if (kind === 'rl') return { model_id, trajectory_groups: batches[scenario] ?? groups }
  return { model_id, training_data_url: `a://b/c/${data}` }
}

interface Following {
  /** The number of tasks that run between two polls. */
  stride?: number
  /** What the client does after each poll. */
  meanwhile?: () => Promise<void> | undefined
}

/** Polls a job until nothing more happens, and notes each event when the client sees it. */
async function follow(
  client: PerseveringClient,
  job: string,
  { stride = 1, meanwhile }: Following,
): Promise<Event[]> {
  const seen: Event[] = []
  let fresh: Event[]
  do {
    const after = seen.at(-1)?.id
    fresh = (await client.list(`/preview/training-jobs/${job}/events`, { after })) as Event[]
    for (const { type, data } of fresh) client.note(`${type} ${JSON.stringify(data)}`)
    seen.push(...fresh)
    await meanwhile?.()
  } while (client.skip(stride) || fresh.length > 0)
  return seen
}

interface Run {
  events: readonly Event[]
  log: readonly string[]
  /** The duration of the run, in milliseconds of the emulator. */
  took: number
}

/** Runs one job in a new world, and records how a client follows it. */
export async function runScenario(api: Api, asked: Asked): Promise<Run> {
  const { scenario, kind, model, receiver } = asked
  const client = new PerseveringClient(api)
  const modelId = await client.createModel(model ?? modelNames[kind])
  const jobId = await client.createJob(kind, submission(kind, { modelId, scenario }))
  const stride = (model ?? scenario).includes('long') ? LONG_STRIDE : 1
  const played = { api, client, kind, modelId, jobId }
  const meanwhile = asides[scenario]
  const hooks = receiver && deliveriesNotedBy(api, client)
  const events = await follow(client, jobId, {
    stride,
    meanwhile: () => meanwhile?.(played) ?? hooks?.(),
  })
  const took = client.elapsed
  await sequels[scenario]?.(played)
  if (receiver) {
    const wrong = receiver.received.filter(({ valid }) => !valid).length
    client.note(`its receiver has ${receiver.received.length} deliveries, ${wrong} badly signed`)
  }
  return { events, log: client.log, took }
}

/** Notes each delivery attempt, after all deliveries in progress have arrived. */
function deliveriesNotedBy({ emulator }: Api, client: PerseveringClient) {
  let noted = 0
  return async (): Promise<void> => {
    await emulator.webhooks.idle()
    const entries = emulator.journal.entries.filter((entry) => entry.kind === 'delivery')
    // Webhooks are sent independently, so only the order within each webhook is certain.
    const fresh = entries.slice(noted).sort((a, b) => a.webhook.localeCompare(b.webhook))
    for (const { text } of fresh) client.note(text)
    noted = entries.length
  }
}

interface Asked {
  receiver?: Receiver | undefined
  scenario: string
  kind: Kind
  model?: string
}
