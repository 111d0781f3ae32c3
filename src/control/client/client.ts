import { queryOf, type Ask } from './ask.js'
import { recordCalls, type RecordCalls } from './records.js'
import { snapshotCalls, type SnapshotCalls } from './snapshot.js'
import { webhookCalls, type WebhookCalls } from './webhooks.js'
import type {
  ClockAfter,
  ClockState,
  ControlEvents,
  ControlFault,
  ControlJob,
  ControlModel,
  CurrentScenario,
  Info,
  NamedScenario,
  Series,
  Settled,
} from '../schemas.js'
import type { FaultInput, ScenarioInput } from '../../scenario/scenario.js'
import type { ClockMode } from '../../clock/clock.js'
import {
  anyFunction,
  aFlag,
  Options,
  required,
  aSecret,
  aText,
  webUrl,
} from '../../text/options.js'

export { OptionsError } from '../../text/options.js'

export interface ClientOptions {
  /** Any URL of the training API: `http://127.0.0.1:4600`, or the base URL that clients are given. */
  url: string | URL
  /** Where the emulator asks for one. */
  token?: string | undefined
  /** The API key whose world is meant, where each has its own. Default: the emulator's own world. */
  world?: string | undefined
  /** Default: the global one. That of an emulator in process works as well. */
  fetch?: typeof globalThis.fetch
}

export const clientOptions = new Options<ClientOptions>('createClient', {
  url: required(webUrl),
  token: aSecret,
  world: aText,
  fetch: anyFunction,
})

/** What a job is made of that the control API creates. */
export interface JobWanted {
  /** The id or name of a model; an unknown name makes one. */
  model?: string
  kind?: 'rl' | 'sft'
  /** Of an SFT job, its lines. Default: 6. */
  trajectories?: number
}

/** Raised where the emulator refuses a call. Code `SVTRAIN_CONTROL_REFUSED`. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  readonly code = 'SVTRAIN_CONTROL_REFUSED'
  /** 400 what cannot be used, 401 the token, 403 strangers, 404, 409 what is not possible now. */
  readonly status: number
  constructor(call: string, status: number, detail: string) {
    super(`Failed to ${call}: ${detail} (status ${status})`)
    this.status = status
  }
}

/** Raised where no emulator answers. Code `SVTRAIN_UNREACHABLE`. */
export class UnreachableError extends Error {
  override readonly name = 'UnreachableError'
  readonly code = 'SVTRAIN_UNREACHABLE'
  constructor(url: string, cause: unknown) {
    super(
      `Failed to reach an emulator at ${url}. Is it running, and is this its training port? Start one with: npx svtrain-emulator`,
      { cause },
    )
  }
}

export interface SettleBounds {
  /** The longest it may take of real time: `30s`, or milliseconds. */
  within?: string | number
  /** The most that may happen on the clock. */
  most?: number
}

export interface UseOptions {
  /** Begins a fresh world with it. Default: what there is stays. */
  reset?: boolean
}

export const useOptions = new Options<UseOptions>('scenarios.use', { reset: aFlag })

/** Each method raises `ControlError` where it is refused, `UnreachableError` where nobody answers. */
export interface Client extends WebhookCalls, RecordCalls, SnapshotCalls {
  /** Resolves once everything listens. */
  ready: () => Promise<void>
  info: () => Promise<Info>
  /** Lets everything happen that is to come. */
  settle: (bounds?: SettleBounds) => Promise<Settled>
  /** Lets time pass in another way from now on. */
  useClock: (mode: ClockMode, options?: { speed?: number }) => Promise<ClockState>
  /**
   * Starts over with the scenario and the seed that the emulator was created with. A scenario that is
   * passed applies to this reset only.
   */
  reset: (scenario?: string | ScenarioInput) => Promise<Info>
  readonly clock: {
    state: () => Promise<ClockState>
    /** `10m`, or milliseconds. */
    advance: (by: string | number) => Promise<ClockState>
    advanceTo: (moment: Date | string | number) => Promise<ClockState>
    /** False where nothing is due. */
    next: () => Promise<boolean>
  }
  readonly scenarios: {
    list: () => Promise<NamedScenario[]>
    current: () => Promise<CurrentScenario>
    /** Follows another one until the next reset; with `reset`, in a fresh world. */
    use: (scenario: string | ScenarioInput, options?: UseOptions) => Promise<NamedScenario>
  }
  readonly models: {
    list: () => Promise<ControlModel[]>
    create: (model: ModelWanted) => Promise<ControlModel>
  }
  readonly jobs: {
    /** Newest first. */
    list: (where?: JobsWhere) => Promise<ControlJob[]>
    get: (id: string) => Promise<ControlJob>
    create: (job?: JobWanted) => Promise<ControlJob>
    fail: (id: string, errorMessage?: string) => Promise<ControlJob>
    finish: (id: string) => Promise<ControlJob>
    stall: (id: string) => Promise<ControlJob>
    resume: (id: string) => Promise<ControlJob>
    /** A negative `from` counts from the end. */
    events: (id: string, slice?: { from?: number; limit?: number }) => Promise<ControlEvents>
    metrics: (id: string, options?: { points?: number }) => Promise<Series>
  }
  readonly faults: {
    list: () => Promise<ControlFault[]>
    /** Adds a fault, as a scenario would have it; it comes before all others. */
    add: (fault: FaultInput) => Promise<ControlFault>
    open: (id: string) => Promise<ControlFault>
    close: (id: string) => Promise<ControlFault>
    remove: (id: string) => Promise<void>
    /** Takes back all that were added; those of the scenario stay. */
    clear: () => Promise<void>
  }
}

/**
 * Controls an emulator in another process, by fetch alone; its methods are called as those of an
 * emulator in process.
 *
 * @throws OptionsError if an option is unknown or can't be used.
 * @example
 * const client = createClient({ url: process.env.SVTRAIN_BASE_URL })
 */
export function createClient(reached: ClientOptions): Client {
  clientOptions.check(reached)
  const { url, token, world, fetch: send = globalThis.fetch } = reached
  const root = `${new URL(url).origin}/_emulator`

  const ask: Ask = async (method, path, body) => {
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    if (token !== undefined) headers.authorization = `Bearer ${token}`
    if (world !== undefined) headers['svtrain-world'] = world
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const response = await send(root + path, init).catch((error: unknown) => {
      throw new UnreachableError(root, error)
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    if (response.ok) return isJson ? JSON.parse(text) : text
    throw new ControlError(`${method} /_emulator${path}`, response.status, detailOf(text))
  }
  const get = <T>(path: string): Promise<T> => ask('GET', path)
  const post = <T>(path: string, body: unknown = {}): Promise<T> => ask('POST', path, body)

  return {
    ...webhookCalls(ask),
    ...recordCalls(ask),
    ...snapshotCalls(ask),
    async ready() {
      await get('/ready')
    },
    info: () => get('/info'),
    settle: (bounds = {}) => post('/clock/settle', bounds),
    useClock: (mode, options = {}) => post('/clock', { mode, ...options }),
    reset: (scenario) => post('/reset', { scenario }),
    clock: {
      state: () => get('/clock'),
      advance: (by) => post('/clock/advance', { by }),
      advanceTo: (moment) => post('/clock/advance', { to: textOf(moment) }),
      next: async () => (await post<ClockAfter>('/clock/next')).happened,
    },
    scenarios: {
      list: async () => (await get<{ scenarios: NamedScenario[] }>('/scenarios')).scenarios,
      current: () => get('/scenario'),
      async use(scenario, options = {}) {
        useOptions.check(options)
        const answer = await post<{ scenario: NamedScenario }>('/scenario', {
          ...options,
          scenario,
        })
        return answer.scenario
      },
    },
    models: {
      list: async () => (await get<{ models: ControlModel[] }>('/models')).models,
      create: async (model) => (await post<{ models: [ControlModel] }>('/models', model)).models[0],
    },
    jobs: {
      list: async (where = {}) => {
        return (await get<{ jobs: ControlJob[] }>(`/jobs${queryOf(where)}`)).jobs
      },
      get: (id) => get(jobPath(id)),
      create: (job = {}) => post('/jobs', job),
      fail: (id, error_message) => post(`${jobPath(id)}/fail`, { error_message }),
      finish: (id) => post(`${jobPath(id)}/finish`),
      stall: (id) => post(`${jobPath(id)}/stall`),
      resume: (id) => post(`${jobPath(id)}/resume`),
      events: (id, slice = {}) => get(`${jobPath(id)}/events${queryOf(slice)}`),
      metrics: (id, options = {}) => get(`${jobPath(id)}/metrics${queryOf(options)}`),
    },
    faults: {
      list: async () => (await get<{ faults: ControlFault[] }>('/faults')).faults,
      add: (fault) => post('/faults', fault),
      open: (id) => post(`${faultPath(id)}/open`),
      close: (id) => post(`${faultPath(id)}/close`),
      async remove(id) {
        await ask('DELETE', faultPath(id))
      },
      async clear() {
        await ask('DELETE', '/faults')
      },
    },
  }
}

export interface ModelWanted {
  name: string
  project?: string
  entity?: string
  base_model?: string
}

export interface JobsWhere {
  /** The id or name of a model. */
  model?: string
  status?: ControlJob['status']
}

function jobPath(id: string): string {
  return `/jobs/${encodeURIComponent(id)}`
}

function faultPath(id: string): string {
  return `/faults/${encodeURIComponent(id)}`
}

function textOf(moment: Date | string | number): string {
  return typeof moment === 'string' ? moment : new Date(moment).toISOString()
}

function detailOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown }
    if (typeof detail === 'string') return detail
  } catch {
    // Whatever answers there, it is no emulator.
  }
  return text.slice(0, 200)
}
