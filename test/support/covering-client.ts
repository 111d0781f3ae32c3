import { createEmulator, type Emulator, type EmulatorOptions } from '../../src/index.js'
import { operations } from '../../src/service/api/table.js'
import type { Operation } from '../../src/service/api/operation.js'
import { BASE_MODEL, jsonHeaders } from './api-client.js'
import { aRun, aVersion } from './platform-records.js'
import { groups, type Event } from './trainer.js'

/** More than any fault of the built-in scenarios affects in a row. */
const TRIES = 12
const POLLS = 60

type Json = Record<string, unknown>

/** A client that calls each operation correctly, repeats what fails, and leaves calls that hang. */
export class CoveringClient {
  readonly emulator: Emulator
  readonly #send: typeof fetch

  constructor(options: EmulatorOptions, send?: typeof fetch) {
    this.emulator = createEmulator({ clock: 'auto', ...options })
    this.#send = send ?? this.emulator.fetch
  }

  /** Calls an operation some times. Records that it needs are arranged without a request. */
  async call(id: string, times: number): Promise<void> {
    const { emulator } = this
    const model = await emulator.models.create({ name: 'poet' })
    const job = await emulator.jobs.start({ model: 'poet' })
    const row = operations.find((each) => each.id === id)!
    for (let time = 0; time < times; time++) {
      // A deleted model is created again.
      const current =
        id === 'deleteModel' ? await emulator.models.create({ name: `m${time}` }) : model
      await this.#request(row, { model: current.id, job: job.id, time })
    }
  }

  /** Streams chats. */
  async stream(times: number): Promise<void> {
    const row = operations.find(({ id }) => id === 'createInferenceChatCompletion')!
    for (let time = 0; time < times; time++) await this.#request(row, { time }, { stream: true })
  }

  /** Creates a job, follows it to its end, and lists the checkpoints of its model. */
  async train(kind: 'rl' | 'sft'): Promise<void> {
    const named = { project: 'demo', name: 'poet', base_model: BASE_MODEL, return_existing: true }
    const { id: model_id } = await this.#persist('POST', '/preview/models', named)
    const { id } =
      kind === 'rl'
        ? await this.#persist('POST', '/preview/training-jobs', {
            model_id,
            trajectory_groups: groups,
          })
        : await this.#persist('POST', '/preview/sft-training-jobs', {
            model_id,
            training_data_url: 'a://b/c/d',
          })
    await this.#followPages(`/preview/training-jobs/${id as string}/events`, isEnd)
    await this.#followPages(`/preview/models/${model_id as string}/checkpoints`)
    await this.emulator.settle()
  }

  /** Reads pages, each after the last item, until `isLast` is shown or nothing new comes. */
  async #followPages(path: string, isLast?: (event: Event) => boolean): Promise<void> {
    let after: string | undefined
    for (let poll = 0; poll < POLLS; poll++) {
      const query = after === undefined ? '' : `?after=${after}`
      const page = await this.#ask('GET', `${path}${query}`)
      // A refused cursor.
      if (!page?.data) {
        after = undefined
        continue
      }
      const data = page.data as Event[]
      after = data.at(-1)?.id ?? after
      if (isLast ? data.some(isLast) : !page.has_more) return
    }
  }

  async #persist(method: string, path: string, body: Json): Promise<Json> {
    for (let tries = 0; tries < TRIES; tries++) {
      const answer = await this.#ask(method, path, body)
      if (answer?.id !== undefined) return answer
    }
    throw new Error(`no answer to ${method} ${path}`)
  }

  /** Undefined if there is no answer that can be used. */
  async #ask(method: string, path: string, body?: Json): Promise<Json | undefined> {
    const { trainingUrl } = this.emulator
    const answer = await this.#exchange(`${trainingUrl}${path}`, { method, body })
    try {
      return answer === undefined ? undefined : (JSON.parse(answer) as Json)
    } catch {
      return undefined
    }
  }

  async #request(row: Operation, ids: Ids, more: Json = {}): Promise<void> {
    const { trainingUrl, inferenceUrl } = this.emulator
    const base = row.host === 'training' ? trainingUrl : inferenceUrl
    const places = placesOf(row, this.emulator)
    const path = row.path
      .replace(/^\/v1/, '')
      .replaceAll(/\{(\w+)\}/g, (whole, name: string) => places[name] ?? whole)
      .replace('{model_id}', ids.model ?? '')
      .replace('{training_job_id}', ids.job ?? '')
    const isWritten = row.body !== undefined || row.readsBody === true
    const body = isWritten ? { ...bodyOf(row.id, ids), ...more } : undefined
    const start = row.path.startsWith('/v1') ? base : new URL(base).origin
    await this.#exchange(`${start}${path}`, { method: row.method, body })
  }

  /** Leaves a call that hangs, and moves the clock for one that is late. */
  async #exchange(
    url: string,
    { method, body }: { method: string; body: Json | undefined },
  ): Promise<string | undefined> {
    const leaving = new AbortController()
    const call = this.#send(url, {
      method,
      headers: jsonHeaders(),
      body: body === undefined ? null : JSON.stringify(body),
      signal: leaving.signal,
    }).then((response) => response.text())
    const hangs = this.#waitForHang(leaving.signal)
    try {
      return await Promise.race([call, hangs])
    } catch {
      return undefined
    } finally {
      leaving.abort()
      call.catch(() => {})
    }
  }

  async #waitForHang(over: AbortSignal): Promise<undefined> {
    while (!over.aborted) {
      await new Promise((resolve) => setImmediate(resolve))
      const last = this.emulator.journal.entries.findLast((entry) => entry.kind === 'request')
      if (last?.lost === 'hang') return undefined
    }
    return undefined
  }
}

function isEnd({ type }: Event): boolean {
  return type === 'training_ended' || type === 'training_failed'
}

interface Ids {
  readonly model?: string
  readonly job?: string
  readonly time: number
}

/** The parameters of paths of runs and artifacts. What they name is created without a request. */
function placesOf({ id }: Operation, emulator: Emulator): Readonly<Record<string, string>> {
  if (id === 'dropTelemetry') return { signal: 'metrics' }
  if (id === 'streamRun' || id === 'uploadFile' || id === 'downloadFile') return aRun(emulator)
  return id.startsWith('downloadArtifact') ? aVersion(emulator) : {}
}

/** A body that each operation accepts. */
function bodyOf(id: string, { model: model_id, time }: Ids): Json {
  const messages = [{ role: 'user', content: 'Hello' }]
  switch (id) {
    case 'createModel':
      return { project: 'demo', name: 'poet', base_model: BASE_MODEL, return_existing: true }
    case 'createRlTrainingJob':
      return { model_id, trajectory_groups: groups }
    case 'createSftTrainingJob':
      return { model_id, training_data_url: `a://b/c/${time}` }
    case 'platformGraphql':
      return { query: '{ viewer { id } }' }
    case 'streamRun':
      return { files: {} }
    case 'logTrajectories':
      return { trajectory_groups: groups, split: 'val' }
    case 'deleteCheckpoints':
      return { steps: [7] }
    default:
      return { model: BASE_MODEL, messages }
  }
}
