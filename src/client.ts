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
} from './contract/control.js'
import type { FaultInput, ScenarioInput } from './engine/scenario.js'
import type { ClockMode } from './world/clock.js'

export interface ClientOptions {
  /** Any URL of the training API: `http://127.0.0.1:4600`, or the base URL that clients are given. */
  url: string | URL
  /** Where the emulator asks for one. */
  token?: string | undefined
  /** Default: the global one. That of an emulator in process works as well. */
  fetch?: typeof globalThis.fetch
}

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

export type Client = ReturnType<typeof createClient>

/**
 * Controls an emulator in another process, by fetch alone; its methods are called as those of an
 * emulator in process. Each raises `ControlError` where it is refused, `UnreachableError` where nobody
 * answers.
 */
export function createClient({ url, token, fetch: send = globalThis.fetch }: ClientOptions) {
  const root = `${new URL(url).origin}/_emulator`

  const ask = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    if (token !== undefined) headers.authorization = `Bearer ${token}`
    const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
    const response = await send(root + path, init).catch((error: unknown) => {
      throw new UnreachableError(root, error)
    })
    const text = await response.text()
    if (response.ok) return JSON.parse(text)
    throw new ControlError(`${method} /_emulator${path}`, response.status, detailOf(text))
  }
  const get = <T>(path: string): Promise<T> => ask('GET', path) as Promise<T>
  const post = <T>(path: string, body: unknown = {}): Promise<T> =>
    ask('POST', path, body) as Promise<T>
  const settle = (options: { within?: string | number; most?: number } = {}) =>
    post<Settled>('/clock/settle', options)

  return {
    /** Resolves once everything listens. */
    async ready(): Promise<void> {
      await get('/ready')
    },
    info: () => get<Info>('/info'),
    settle,
    /** Lets time pass in another way from now on. */
    useClock: (mode: ClockMode, options: { speed?: number } = {}) =>
      post<ClockState>('/clock', { mode, ...options }),
    /** Begins anew, with another scenario where one is named. */
    reset: (scenario?: string) => post<Info>('/reset', { scenario }),
    clock: {
      state: () => get<ClockState>('/clock'),
      /** `10m`, or milliseconds. */
      advance: (by: string | number) => post<ClockState>('/clock/advance', { by }),
      advanceTo: (moment: Date | string | number) =>
        post<ClockState>('/clock/advance', { to: textOf(moment) }),
      /** False where nothing is due. */
      next: async () => (await post<ClockAfter>('/clock/next')).happened,
      settle,
    },
    scenarios: {
      list: async () => (await get<{ scenarios: NamedScenario[] }>('/scenarios')).scenarios,
      current: () => get<CurrentScenario>('/scenario'),
      /** Follows another one, by name or as it stands here; with `reset`, in a fresh world. */
      async use(scenario: string | ScenarioInput, { reset = false } = {}): Promise<NamedScenario> {
        const chosen = typeof scenario === 'string' ? { name: scenario } : { scenario }
        type Chosen = { scenario: NamedScenario }
        return (await post<Chosen>('/scenario', { ...chosen, reset })).scenario
      },
    },
    models: {
      list: async () => (await get<{ models: ControlModel[] }>('/models')).models,
      async create(model: ModelWanted): Promise<ControlModel> {
        const { models } = await post<{ models: [ControlModel] }>('/models', model)
        return models[0]
      },
    },
    jobs: {
      list: async (where: JobsWhere = {}) =>
        (await get<{ jobs: ControlJob[] }>(`/jobs${queryOf(where)}`)).jobs,
      get: (id: string) => get<ControlJob>(jobPath(id)),
      create: (job: JobWanted = {}) => post<ControlJob>('/jobs', job),
      fail: (id: string, error_message?: string) =>
        post<ControlJob>(`${jobPath(id)}/fail`, { error_message }),
      finish: (id: string) => post<ControlJob>(`${jobPath(id)}/finish`),
      stall: (id: string) => post<ControlJob>(`${jobPath(id)}/stall`),
      resume: (id: string) => post<ControlJob>(`${jobPath(id)}/resume`),
      /** A negative `from` counts from the end. */
      events: (id: string, slice: { from?: number; limit?: number } = {}) =>
        get<ControlEvents>(`${jobPath(id)}/events${queryOf(slice)}`),
      metrics: (id: string, { points }: { points?: number } = {}) =>
        get<Series>(`${jobPath(id)}/metrics${queryOf({ points })}`),
    },
    faults: {
      list: async () => (await get<{ faults: ControlFault[] }>('/faults')).faults,
      /** Adds a fault, as a scenario would have it; it comes before all others. */
      add: (fault: FaultInput) => post<ControlFault>('/faults', fault),
      open: (id: string) => post<ControlFault>(`${faultPath(id)}/open`),
      close: (id: string) => post<ControlFault>(`${faultPath(id)}/close`),
      async remove(id: string): Promise<void> {
        await ask('DELETE', faultPath(id))
      },
      /** Takes back all that were added; those of the scenario stay. */
      async clear(): Promise<void> {
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

function queryOf(values: object): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  return given.length === 0 ? '' : `?${new URLSearchParams(Object.fromEntries(given))}`
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
