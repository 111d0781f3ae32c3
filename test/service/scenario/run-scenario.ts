import { createClient } from '../../../src/client.js'
import { chatCall, GaveUp, PerseveringClient, type Event } from './persevering-client.js'
import type { Receiver } from '../../support/receiver.js'
import { judgeRequest } from '../../support/judge-request.js'
import { groups } from '../../support/trainer.js'
import type { Api } from '../../support/transports.js'
import { until } from '../../support/until.js'

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

/** Statuses that pass, if a scenario has such. A careless client takes them for the truth. */
const passing: Readonly<Record<string, readonly number[]>> = {
  'not-found-at-first': [404],
  'payment-required-then-cleared': [402],
  'stray-400': [400],
}

/** What the client also does at each poll, if a scenario needs it to show its effect. */
const asides: Readonly<Record<string, (played: Played) => Promise<void>>> = {
  'checkpoints-on-the-way': listCheckpoints,
  async 'checkpoint-expires'(played) {
    await listCheckpoints(played)
    await played.client.chat(served(played, 'step1'))
  },
}

const parameters = {
  type: 'object',
  properties: { city: { enum: ['Paris', 'Rome'] } },
  required: ['city'],
  additionalProperties: false,
}
/** The tool that chats of `malformed-tool-calls` offer. */
const tools = [{ type: 'function', function: { name: 'get_weather', parameters } }]

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
  'context-overflow': talkUntilRefused,
  async 'chat-hangs'(played) {
    for (let chats = 1; chats <= 3; chats++) await played.client.chat(served(played, 'latest'))
    await played.client.answerOf(served(played, 'latest'))
    await played.client.answerOf(served(played, 'latest'))
  },
  async 'chat-stalls-mid-stream'(played) {
    const model = served(played, 'latest')
    for (const stream of [true, true, false]) await played.client.chat(model, { stream })
    await played.client.answerOf(model)
    await played.client.answerOf(model)
  },
  'chat-concurrency-limit': chatAllAtOnce,
  async 'missing-logprobs'(played) {
    const request = { logprobs: true, return_token_ids: true }
    for (let chats = 1; chats <= 3; chats++) {
      const { logprobs, token_ids: ids } = await played.client.answerOf(
        served(played, 'latest'),
        request,
      )
      const counts = [logprobs?.content?.length ?? 'no', ids?.length ?? 'no']
      played.client.note(`gets ${counts[0]} log probabilities and ${counts[1]} token ids`)
    }
  },
  async 'malformed-tool-calls'(played) {
    for (let chats = 1; chats <= 6; chats++) {
      const { message } = await played.client.answerOf(served(played, 'latest'), { tools })
      const [call] = message.tool_calls ?? []
      const said = call ? `${call.function.name} ${call.function.arguments}` : message.content
      played.client.note(`gets ${JSON.stringify(said)}`)
    }
  },
  async 'ends-without-checkpoint'(played) {
    await listCheckpoints(played)
    await anotherJob(played, 'second')
    await listCheckpoints(played)
  },
  async 'not-found-at-first'(played) {
    await listCheckpoints(played)
    await played.client.answerOf(served(played, 'step1'))
  },
  async 'payment-required-then-cleared'(played) {
    await played.client.answerOf(served(played, 'latest'))
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
  async 'bad-judge'({ client }) {
    for (let call = 1; call <= 16; call++) await client.judge(['yes', 'no', 'maybe'])
  },
  async 'judge-down'({ client }) {
    const call = chatCall(judgeRequest(['yes', 'no', 'maybe']))
    while ((await client.tryOnce(call)) === 503) client.wait(5_000)
  },
  async 'judge-scores-zero'({ client }) {
    await client.judge(['yes', 'no', 'maybe'])
  },
  'cut-off-answers': (played) => converseOften(played, 8),
  async 'policy-moves-mid-rollout'(played) {
    await listCheckpoints(played)
    await converseOften(played, 2)
    await listCheckpoints(played)
  },
  async 'adapter-not-applied'(played) {
    for (const model of ['example/base-8b-instruct', served(played, 'step1')]) {
      const { message } = await played.client.answerOf(model, { temperature: 0 })
      played.client.note(`gets ${JSON.stringify(message.content)}`)
    }
  },
  async 'cold-adapter'(played) {
    for (let chats = 1; chats <= 6; chats++) await played.client.chat(served(played, 'step1'))
    await played.client.chat(served(played, 'step0'))
  },
  async 'jobs-concurrency-limit'(played) {
    const { client, kind, modelId } = played
    client.note('submits a second job')
    await client.createJob(kind, submission(kind, { modelId, data: 'second' }))
    await anotherJob(played, 'third')
  },
  'overlong-rows': listCheckpoints,
  'model-does-not-learn': listCheckpoints,
  'two-jobs': (played) => anotherJob(played, 'second'),
  'nothing-to-train': listCheckpoints,
  async 'empty-batch'(played) {
    await listCheckpoints(played)
    const body = { model: served(played, 'step0'), messages: [{ role: 'user', content: 'Write.' }] }
    await played.client.tryOnce(chatCall(body))
  },
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
  const effects = played.api.emulator.requests.all().flatMap((request) => request.effects)
  const made = effects.filter((effect) => effect.startsWith('queued'))
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

/** Sends all earlier turns again, until the service refuses. Then goes on without the first turns. */
async function talkUntilRefused(played: Played): Promise<void> {
  const { client } = played
  const turns: object[] = []
  for (let refusals = 0; refusals < 2;) {
    turns.push({ role: 'user', content: 'Please continue with the next step.' })
    const answered = await client.converse(served(played, 'latest'), turns)
    if (answered) turns.push(answered)
    else {
      refusals++
      turns.splice(0, 4)
      client.note('forgets the first turns')
      turns.pop()
    }
  }
}

/** Asks the latest checkpoint several times, and notes how its answers end. */
async function converseOften(played: Played, chats: number): Promise<void> {
  const turns = [{ role: 'user', content: 'Say <answer>yes</answer> or <answer>no</answer>.' }]
  for (let chat = 1; chat <= chats; chat++) {
    await played.client.converse(served(played, 'latest'), turns)
  }
}

/** Four chats at the same time. Those that are refused try again when another one ends. */
async function chatAllAtOnce(played: Played): Promise<void> {
  const { api, client } = played
  const messages = [{ role: 'user', content: 'Name a color.' }]
  const body = { model: served(played, 'latest'), messages }
  const ask = async (name: number): Promise<boolean> => {
    const { status, body: said } = await api.inference.post('/chat/completions', body)
    client.note(`chat ${name}: ${status} ${said.error?.message ?? said.choices[0].message.content}`)
    return status === 200
  }
  for (let left = 4; left > 0;) {
    client.note(`starts ${left} chats at once`)
    // One after the other, so that the order in which they arrive is certain.
    const chats: Promise<boolean>[] = []
    for (let each = 1; each <= left; each++) {
      const before = api.emulator.clock.pending
      let isOver = false
      chats.push(ask(each).finally(() => (isOver = true)))
      await until('a chat is refused or in progress', () => {
        return isOver || api.emulator.clock.pending > before
      })
    }
    const all = Promise.all(chats)
    await api.emulator.settle(all)
    left = (await all).filter((isAnswered) => !isAnswered).length
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
  'overlong-rows': [
    {
      trajectories: [1, 400, 2, 300].map((words, reward) => ({
        messages_and_choices: [{ role: 'assistant', content: 'word '.repeat(words) }],
        reward,
      })),
    },
  ],
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
  /** The faults of the scenario that hit none of its calls. */
  missed: readonly string[]
}

/** Runs one job in a new world, and records how a client follows it. */
export async function runScenario(api: Api, asked: Asked): Promise<Run> {
  const { scenario, kind, model, receiver } = asked
  const client = new PerseveringClient(api, passing[scenario])
  const modelId = await client.createModel(model ?? modelNames[kind])
  const jobId = await client.createJob(kind, submission(kind, { modelId, scenario }))
  const stride = /\blong\b/.test(model ?? scenario) ? LONG_STRIDE : 1
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
  const { faults } = createClient({ url: api.emulator.trainingUrl, fetch: api.emulator.fetch })
  const missed = (await faults.list()).filter(({ hits }) => hits === 0)
  return { events, log: client.log, took, missed: missed.map(({ id, name = id }) => name) }
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
