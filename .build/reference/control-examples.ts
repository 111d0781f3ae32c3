import { createEmulator, type Emulator, type ScenarioInput } from '../../src/index.js'

/** What a call of the control API sends and gets, so that the page shows real responses. */
export interface ControlExample {
  curl: string
  response: string
}

interface Sent {
  /** The query, such as `status=failed`. */
  query?: string
  body?: unknown
  /** The file whose content is the body. */
  file?: string
  /** Calls before the one that is shown. */
  before?: readonly (readonly [call: string, body?: unknown])[]
}

type Ids = Readonly<Record<string, string | undefined>>

const SETTLE = ['POST /clock/settle'] as const

/** What each call sends. A call that is not here has neither a query nor a body. */
const sent: Readonly<Record<string, Sent>> = {
  changeClock: { body: { mode: 'auto' } },
  advanceClock: { body: { by: '10m' } },
  settleWorld: { body: { within: '10s' } },
  readScenario: { query: 'name=failing-job' },
  checkScenario: { body: { yaml: 'name: mine\nfaults: [{ fault: statsu, status: 503 }]\n' } },
  chooseScenario: { body: { name: 'failing-job' } },
  resetWorld: { body: { name: 'failing-job' } },
  restoreSnapshot: { file: 'state.json' },
  addModel: { body: { name: 'painter', project: 'verse' } },
  listJobs: { query: 'status=running' },
  listRuns: { query: 'state=finished' },
  readRunHistory: { query: 'metric=loss' },
  readRunFile: { query: 'path=notes.txt' },
  listArtifacts: { query: 'type=dataset' },
  putArtifact: { body: { name: 'rows', files: { 'train.jsonl': '{"messages": []}\n' } } },
  readArtifactFile: { query: 'path=train.jsonl' },
  createJob: { body: { model: 'poet', trajectories: 8 } },
  listJobEvents: { query: 'limit=2' },
  readJobMetrics: { query: 'points=100', before: [['POST /clock/advance', { by: '2s' }]] },
  failJob: { body: { error_message: 'out of memory' } },
  resumeJob: { before: [['POST /jobs/{job_id}/stall']] },
  addFault: { body: { fault: 'status', status: 503, calls: { to: 2 } } },
  setSecret: { body: { name: 'WEBHOOK_SECRET', value: 'a-new-secret' } },
  addWebhook: { body: { name: 'audit', url: 'http://127.0.0.1:8080/hooks' } },
  testWebhook: { body: { payload: { hello: 'receiver' } }, before: [SETTLE] },
  explainSignature: {
    body: { headers: { 'X-Service-Signature': 'sha256=0123' }, body: '{}' },
  },
  addAutomation: { body: { name: 'job-failed', event: 'RUN_STATE', webhook: 'deploy' } },
  triggerEvent: { body: { event: 'RUN_STATE', state: 'failed', to: 'deploy' } },
  listDeliveries: { query: 'state=delivered&limit=1', before: [SETTLE] },
  readDelivery: { before: [SETTLE] },
  resendDelivery: { before: [SETTLE] },
  resendDeliveries: { body: { delivery: '084932df' }, before: [SETTLE] },
  listSinkRecords: { query: 'limit=1', before: [SETTLE] },
  listRequests: { query: 'operation=createRlTrainingJob' },
  countRequests: { query: 'operation=createRlTrainingJob' },
  readTimeline: { query: 'limit=3' },
  readSchedule: { query: 'limit=3' },
  readAgenda: { query: 'limit=3' },
  awaitRequests: { query: 'operation=createRlTrainingJob&count=1&timeout=30s' },
  readBill: { body: { steps: 30, budget: '2M-tokens' } },
  startExploration: { body: { runs: 100, seed: 7 } },
  openProxy: { body: { allow_hosts_out: ['huggingface.co'] } },
  nextTrial: { body: { ended: 'success' }, before: [['POST /explore']] },
  callMcp: {
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'list_faults', arguments: {} },
    },
  },
  stream: { query: 'after=0' },
}

/** The host of the training API, as the page writes it. */
const SHOWN = 'http://127.0.0.1:4600'

const scenario: ScenarioInput = {
  name: 'my-scenario',
  description: 'A job trains to its end and calls a webhook.',
  secrets: { WEBHOOK_SECRET: 's3cret' },
  webhooks: [{ name: 'deploy', secret: 'WEBHOOK_SECRET' }],
  automations: [{ name: 'job-over', event: 'RUN_STATE', webhook: 'deploy', states: ['finished'] }],
}

interface Row {
  id: string
  method: string
  path: string
}

/** What the parameters of paths are called that have no ids. */
const NAMES = {
  model_id: 'poet',
  step: '0',
  entity: 'local-team',
  project: 'verse',
  run: 'poem',
  artifact: 'rows:v0',
  document: 'training.json',
}

/** Runs a call against an emulator with a model, a job, a fault and a webhook. */
export async function controlExample({ id, method, path }: Row): Promise<ControlExample> {
  await using emulator = createEmulator({ clock: 'manual', scenario })
  emulator.createSink()
  const { origin } = new URL(emulator.trainingUrl)
  const send = (call: string, body?: unknown): Promise<Response> => {
    const [verb = '', address = ''] = call.split(' ')
    return emulator.fetch(`${origin}${address}`, {
      method: verb,
      headers: { authorization: 'Bearer my-key', 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }
  const { id: model_id } = await emulator.models.create({ project: 'verse', name: 'poet' })
  const trajectories = [1, 0, 1, 0].map((reward) => ({ reward }))
  const job = { model_id, trajectory_groups: [{ trajectories }] }
  await send(`POST ${emulator.basePath}/v1/preview/training-jobs`, job)
  await logPoem(emulator)
  emulator.clock.advance('2s')
  const { query, body, file, before = [] } = sent[id] ?? {}
  emulator.faults.add({ name: 'outage', fault: 'status', status: 503, open: false })
  const ids: Ids = {
    ...NAMES,
    job_id: emulator.job().id,
    request_id: '1',
    fault_id: emulator.engine.faults.all.at(-1)!.id,
    name: nameFor(path),
  }
  for (const [call, input] of before) {
    await send(filled(call, ids).replace(' ', ' /_emulator'), input)
  }
  const [delivery] = emulator.webhooks.deliveries
  const address =
    filled(path, { ...ids, delivery_id: delivery?.id }) + (query === undefined ? '' : `?${query}`)
  const content = file === undefined ? body : await emulator.snapshot()
  const answer = await send(`${method} ${address}`, content)
  if (!answer.ok) throw new Error(`${method} ${address}: ${answer.status} ${await answer.text()}`)
  return {
    curl: curlFor(method, address, sent[id] ?? {}),
    response: shownOf(await textOf(answer), origin),
  }
}

/** Logs a run with metrics and a file, and an artifact. */
async function logPoem({ artifacts, engine }: Emulator): Promise<void> {
  const platform = engine.platformWithCheckpoints()
  const author = { user: 'ada' }
  const place = { entity: 'local-team', project: 'verse', name: 'poem' }
  const facts = { displayName: 'My poem', config: '{"lr": {"value": 0.1}}' }
  const { run } = platform.runs.upsert(place, facts, author)
  const lines = [0, 1, 2].map((step) => JSON.stringify({ _step: step, loss: 1 / (step + 1) }))
  const [file] = platform.runs.files.open(run, ['notes.txt'])
  platform.upload(file!.id, new TextEncoder().encode('It rhymes.\n'))
  const log = { history: { offset: 0, lines }, summary: lines.at(-1), complete: true, exitCode: 0 }
  platform.runs.log(run, log, author)
  const files = { 'train.jsonl': '{"messages": []}\n' }
  await artifacts.put({ name: 'rows', project: 'verse', files, aliases: ['best'] })
}

function nameFor(path: string): string {
  if (path.includes('/secrets/')) return 'WEBHOOK_SECRET'
  return path.includes('/automations/') ? 'job-over' : 'deploy'
}

function filled(path: string, ids: Ids): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '')
}

function curlFor(method: string, address: string, { body, file }: Sent): string {
  const isQuoted = address.includes('?')
  const url = isQuoted ? `'${SHOWN}${address}'` : `${SHOWN}${address}`
  const verb = method === 'GET' || (method === 'POST' && body !== undefined) ? [] : ['-X', method]
  const data = body === undefined ? [] : ['-d', `'${JSON.stringify(body)}'`]
  const flags = address.includes('/stream') ? ['-N'] : []
  return ['curl', ...flags, ...verb, url, ...data, ...(file ? ['-d', `@${file}`] : [])].join(' ')
}

/** Reads a response. Of a stream, only its first event. */
async function textOf(answer: Response): Promise<string> {
  if (!answer.headers.get('content-type')?.includes('event-stream')) return answer.text()
  const decoder = new TextDecoder()
  for await (const bytes of answer.body!) {
    const text = decoder.decode(bytes)
    if (text.includes('data:')) return text
  }
  return ''
}

const MOST_LINES = 28
const MOST_ITEMS = 2
const LONGEST_TEXT = 72

/** Writes a response so that it fits on the page. An ellipsis shows what is missing. */
function shownOf(text: string, origin: string): string {
  const plain = text
    .replaceAll(origin, SHOWN)
    .replaceAll('http://inference.svtrain.test', 'http://127.0.0.1:4601')
    .replaceAll('http://sink.svtrain.test', 'http://127.0.0.1:4610')
    // A free port, and a temporary folder.
    .replaceAll(/http:\/\/127\.0\.0\.1:\d{5}\b/g, 'http://127.0.0.1:4602')
    .replaceAll(/[^"]*\/svtrain-emulator-intercept-[\w-]+/g, '/certificates')
  const [, event = '', data = ''] = /event: (\w+)\ndata: (.*)/.exec(plain) ?? []
  if (data !== '') return `event: ${event}\ndata: ${data.slice(0, LONGEST_TEXT)}…`
  if (plain.startsWith('<!doctype')) return `${plain.split('\n', 3).join('\n')}\n…`
  const lines = linesOf(plain)
  return lines.length <= MOST_LINES
    ? lines.join('\n')
    : [...lines.slice(0, MOST_LINES - 1), '…'].join('\n')
}

/** The lines of JSON, shortened, or of any other text. */
function linesOf(text: string): string[] {
  try {
    return JSON.stringify(JSON.parse(text), shortened, 2).split('\n')
  } catch {
    return text.trimEnd().split('\n')
  }
}

/** What differs from run to run, or from release to release. */
const VARYING = ['took', 'time', 'wait', 'latency', 'time_left', 'digest', 'version']

/** Maps of which a few keys are enough. */
const LONG = ['latest', 'metrics', 'scenario', 'data', 'paths', 'headers']
const MOST_KEYS = 3

function shortened(key: string, value: unknown): unknown {
  if (VARYING.includes(key) && value !== null) return '…'
  if (typeof value === 'string' && value.length > LONGEST_TEXT) {
    return `${value.slice(0, LONGEST_TEXT)}…`
  }
  if (Array.isArray(value) && value.length > MOST_ITEMS) return [...value.slice(0, MOST_ITEMS), '…']
  const entries = LONG.includes(key) && typeof value === 'object' ? Object.entries(value ?? {}) : []
  if (entries.length <= MOST_KEYS) return value
  return Object.fromEntries([...entries.slice(0, MOST_KEYS), ['…', '…']])
}
