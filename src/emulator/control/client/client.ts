import type { Operation } from '../../../service/api/operation.js'
import type { ClockMode } from '../../../base/clock/clock.js'
import type { WhichScenario } from '../../emulator-options.js'
import type { Har } from '../../report-options.js'
import type { SnapshotOptions, Snapshot } from '../../snapshot.js'
import type {
  AutomationRule,
  FaultInput,
  EventType,
  WebhookPartsInput,
} from '../../../service/scenario/scenario.js'
import {
  anyFunction,
  aFlag,
  Options,
  required,
  aSecret,
  aText,
  webUrl,
} from '../../../base/text/options.js'
import { EmulatorError } from '../../../base/text/emulator-error.js'
import type { TriggerFacts } from '../../../webhooks/sending/trigger.js'
import type {
  Agenda,
  Coverage,
  ClientCheckFinding,
  ClockState,
  ControlDelivery,
  ControlEvents,
  ControlFault,
  ControlJob,
  ControlModel,
  ControlWebhook,
  CurrentScenario,
  Explained,
  Info,
  NamedScenario,
  Pending,
  RequestDetail,
  RequestEntry,
  Restored,
  Series,
  Settled,
  SinkRecord,
  TestOutcome,
  TimelineState,
  WorldState,
} from '../schemas.js'
import type { ControlRow } from '../table.js'
import { requestOf, type BodyOf, type Call, type QueryOf } from './call.js'

export { OptionsError } from '../../../base/text/options.js'

/** The options of `createClient`. */
export interface ClientOptions {
  /** The URL of the training API: `http://127.0.0.1:4600`, or any URL below it, such as the base URL. */
  url: string | URL
  /** The control token, if the emulator asks for one. */
  token?: string | undefined
  /** An API key: selects its world if each key has its own. Default: the emulator's own world. */
  world?: string | undefined
  /** Default: the global `fetch`. The `fetch` of an emulator in process works as well. */
  fetch?: typeof globalThis.fetch
}

export const clientOptions = new Options<ClientOptions>('createClient', {
  url: required(webUrl),
  token: aSecret,
  world: aText,
  fetch: anyFunction,
})

/** Thrown when the emulator refuses a call. Code `SVTRAIN_CONTROL_REFUSED`. */
export class ControlError extends EmulatorError {
  override readonly name = 'ControlError'
  readonly code = 'SVTRAIN_CONTROL_REFUSED'
  /** 400: a wrong value. 401: the token. 403: the caller. 404: no such thing. 409: not possible now. */
  readonly status: number
  constructor(call: string, status: number, detail: string) {
    super(`Failed to ${call}: ${detail} (status ${status})`)
    this.status = status
  }
}

/** Thrown when no emulator answers. Code `SVTRAIN_UNREACHABLE`. */
export class UnreachableError extends EmulatorError {
  override readonly name = 'UnreachableError'
  readonly code = 'SVTRAIN_UNREACHABLE'
  constructor(url: string, cause: unknown) {
    super(
      `Failed to reach an emulator at ${url}. Is it running, and is this its training port? Start one with: npx svtrain-emulator`,
      { cause },
    )
  }
}

/** What `models.create` accepts. */
export type ModelWanted = BodyOf<'POST /models'>
/** What `jobs.create` accepts. */
export type JobWanted = BodyOf<'POST /jobs'>
/** Which jobs `jobs.list` returns. */
export type JobsWhere = QueryOf<'GET /jobs'>
/** The limits of `settle`. */
export type SettleBounds = BodyOf<'POST /clock/settle'>

/** The options of `scenarios.use`. */
export interface UseOptions {
  /** Whether to start over with the scenario. Default: false, so that existing records stay. */
  reset?: boolean
}

export const useOptions = new Options<UseOptions>('scenarios.use', { reset: aFlag })

/** The facts of an event that `trigger` triggers. Each has a default. */
export interface Facts extends TriggerFacts {
  /** Sends the event only to the webhook with this name. Default: every automation that matches it. */
  to?: string | undefined
  /** Takes the facts of this job. Default: no job. */
  job_id?: string | undefined
}

/** A webhook, written as in a scenario. See `docs/reference/scenario.md` for its keys. */
type WebhookInput = NonNullable<WebhookPartsInput['webhooks']>[number]
/** An automation, written as in a scenario. See `docs/reference/scenario.md` for its keys. */
type AutomationInput = NonNullable<WebhookPartsInput['automations']>[number]
/** The options of `requests.wait`: how many requests, and how long in real time. */
type WaitOptions = Pick<QueryOf<'GET /requests/wait'>, 'count' | 'timeout'>

/**
 * Makes the function that a client calls the control API with.
 *
 * @typeParam Row The rows that it can call. Default: those that no tool brings.
 */
export function callOf<Row extends Operation = ControlRow>(options: ClientOptions): Call<Row> {
  const { url, token, world, fetch: send = globalThis.fetch } = options
  const root = `${new URL(url).origin}/_emulator`

  const call = async (route: string, sent?: object): Promise<unknown> => {
    const { method, path, ...body } = requestOf(route, sent)
    const headers: Record<string, string> = { 'content-type': 'application/json' }
    if (token !== undefined) headers.authorization = `Bearer ${token}`
    if (world !== undefined) headers['svtrain-world'] = world
    const response = await send(root + path, { method, headers, ...body }).catch(
      (error: unknown) => {
        throw new UnreachableError(root, error)
      },
    )
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.includes('json')
    if (response.ok) return isJson ? JSON.parse(text) : text
    throw new ControlError(`${method} /_emulator${path}`, response.status, detailOf(text))
  }
  return call as Call<Row>
}

/**
 * The methods of a client.
 *
 * @typeParam Tools The methods that tools bring.
 */
export type ControlMethods<Tools extends object> = ReturnType<typeof controlMethods<Tools>>

/**
 * Returns the methods of a client. A new row of the control API needs a method here.
 *
 * @param tools The methods that tools bring, such as those of explorations.
 */
// The type follows from the methods, and has their comments.
// oxlint-disable-next-line typescript/explicit-module-boundary-types
export function controlMethods<Tools extends object>(call: Call, tools: Tools) {
  return {
    /** Resolves when the emulator listens and its scenario's records exist. */
    async ready(): Promise<void> {
      await call('GET /ready')
    },
    /** Returns version, seed, scenario and addresses. */
    info: (): Promise<Info> => call('GET /info'),
    /**
     * Runs everything that is scheduled. Refused with 409 if tasks keep coming.
     *
     * @example
     * await client.settle({ within: '30s' })
     */
    settle: (bounds: SettleBounds = {}): Promise<Settled> =>
      call('POST /clock/settle', { body: bounds }),
    /**
     * Changes how time passes from now on. `speed` is seconds of the scenario per second of real time.
     *
     * @example
     * await client.useClock('real', { speed: 60 })
     */
    useClock: (mode: ClockMode, options: { speed?: number } = {}): Promise<ClockState> =>
      call('POST /clock', { body: { mode, ...options } }),
    /**
     * Starts over with the scenario and the seed that the emulator was created with.
     *
     * @param scenario Applies to this reset only.
     * @param options `seed` applies to this reset only, too.
     * @example
     * await client.reset()
     */
    reset: (scenario?: WhichScenario, options: { seed?: number } = {}): Promise<Info> =>
      call('POST /reset', { body: { ...options, scenario } }),

    clock: {
      /** Returns the mode, the speed, the time and the next scheduled task. */
      state: (): Promise<ClockState> => call('GET /clock'),
      /** Moves virtual time by a duration: `10m`, or milliseconds. */
      advance: (by: string | number): Promise<ClockState> =>
        call('POST /clock/advance', { body: { by } }),
      /** Moves virtual time to a moment: a date, a text in ISO 8601, or milliseconds since the epoch. */
      advanceTo: (moment: Date | string | number): Promise<ClockState> =>
        call('POST /clock/advance', { body: { to: isoOf(moment) } }),
      /** Moves virtual time to the next scheduled task and runs it. Returns whether there was one. */
      next: async (): Promise<boolean> => (await call('POST /clock/next')).happened,
    },

    scenarios: {
      /** Returns the built-in scenarios. */
      list: async (): Promise<NamedScenario[]> => (await call('GET /scenarios')).scenarios,
      /** Returns the current scenario. */
      current: (): Promise<CurrentScenario> => call('GET /scenario'),
      /**
       * Changes the scenario until the next reset.
       *
       * @example
       * await client.scenarios.use('failing-job', { reset: true })
       */
      async use(scenario: WhichScenario, options: UseOptions = {}): Promise<NamedScenario> {
        useOptions.check(options)
        return (await call('POST /scenario', { body: { ...options, scenario } })).scenario
      },
    },

    ...tools,

    models: {
      /** Returns the models with their checkpoints, oldest first. */
      list: async (): Promise<ControlModel[]> => (await call('GET /models')).models,
      /**
       * Creates a model. Refused with 409 if the name is taken.
       *
       * @example
       * const { id } = await client.models.create({ name: 'poet' })
       */
      create: async (model: ModelWanted): Promise<ControlModel> =>
        (await call('POST /models', { body: model })).models[0]!,
      /** Deletes a model (id or name) with its checkpoints. Its unfinished jobs fail. */
      async delete(which: string): Promise<void> {
        await call('DELETE /models/{model_id}', { params: { model_id: which } })
      },
      /** Deletes one checkpoint of a model (id or name). Refused with 404 if it has none of that step. */
      deleteCheckpoint: async (which: string, step: number): Promise<ControlModel> =>
        (
          await call('DELETE /models/{model_id}/checkpoints/{step}', {
            params: { model_id: which, step },
          })
        ).models[0]!,
    },

    jobs: {
      /** Returns the jobs, newest first. */
      list: async (where: JobsWhere = {}): Promise<ControlJob[]> =>
        (await call('GET /jobs', { query: where })).jobs,
      /** Returns one job. Refused with 404 if no job has that id. */
      get: (id: string): Promise<ControlJob> => call('GET /jobs/{job_id}', { params: job(id) }),
      /**
       * Creates a job, as a request does, and its model if it does not exist.
       *
       * @example
       * const { id } = await client.jobs.create({ model: 'poet' })
       */
      create: (wanted: JobWanted = {}): Promise<ControlJob> => call('POST /jobs', { body: wanted }),
      /** Ends a job now, as a failure. Refused with 409 if it is over. */
      fail: (id: string, errorMessage?: string): Promise<ControlJob> =>
        call('POST /jobs/{job_id}/fail', {
          params: job(id),
          body: { error_message: errorMessage },
        }),
      /** Ends a job now, with success. Refused with 409 if it is over. */
      finish: (id: string): Promise<ControlJob> =>
        call('POST /jobs/{job_id}/finish', { params: job(id) }),
      /** Stops a job until it is resumed. */
      stall: (id: string): Promise<ControlJob> =>
        call('POST /jobs/{job_id}/stall', { params: job(id) }),
      /** Continues a stalled job. */
      resume: (id: string): Promise<ControlJob> =>
        call('POST /jobs/{job_id}/resume', { params: job(id) }),
      /** Returns a slice of a job's events. A negative `from` counts from the end. */
      events: (
        id: string,
        slice: QueryOf<'GET /jobs/{job_id}/events'> = {},
      ): Promise<ControlEvents> =>
        call('GET /jobs/{job_id}/events', { params: job(id), query: slice }),
      /** Returns the metrics of a job's gradient steps as columns. */
      metrics: (id: string, options: QueryOf<'GET /jobs/{job_id}/metrics'> = {}): Promise<Series> =>
        call('GET /jobs/{job_id}/metrics', { params: job(id), query: options }),
    },

    faults: {
      /** Returns the faults of the scenario and those that were added. */
      list: async (): Promise<ControlFault[]> => (await call('GET /faults')).faults,
      /**
       * Adds a fault, written as in a scenario. It takes precedence over all others.
       *
       * @example
       * const { id } = await client.faults.add({ fault: 'status', status: 503 })
       */
      add: (fault: FaultInput): Promise<ControlFault> => call('POST /faults', { body: fault }),
      /** Opens a fault, so that it takes effect. */
      open: (id: string): Promise<ControlFault> =>
        call('POST /faults/{fault_id}/open', { params: { fault_id: id } }),
      /** Closes a fault, so that it has no effect until it is opened. */
      close: (id: string): Promise<ControlFault> =>
        call('POST /faults/{fault_id}/close', { params: { fault_id: id } }),
      /** Removes a fault that was added. Faults of the scenario can only be closed. */
      async remove(id: string): Promise<void> {
        await call('DELETE /faults/{fault_id}', { params: { fault_id: id } })
      },
      /** Removes all faults that were added. Faults of the scenario stay. */
      async clear(): Promise<void> {
        await call('DELETE /faults')
      },
    },

    secrets: {
      /** Returns the names of the secrets. No method returns their values. */
      list: async (): Promise<string[]> => (await call('GET /secrets')).secrets,
      /** Adds or rotates a secret. */
      async set(name: string, value: string): Promise<void> {
        await call('POST /secrets', { body: { name, value } })
      },
      /** Removes a secret. Webhooks that sign with it send unsigned deliveries from now on. */
      async remove(name: string): Promise<void> {
        await call('DELETE /secrets/{name}', { params: { name } })
      },
    },

    webhooks: {
      /** Returns the webhooks, and why any of them is disabled. */
      list: async (): Promise<ControlWebhook[]> => (await call('GET /webhooks')).webhooks,
      /**
       * Adds a webhook, written as in a scenario. Replaces one of the same name.
       *
       * @example
       * await client.webhooks.add({ name: 'mine', url: 'http://127.0.0.1:3000/hook' })
       */
      async add(webhook: WebhookInput): Promise<void> {
        await call('POST /webhooks', { body: webhook })
      },
      /** Removes a webhook and its automations. */
      async remove(name: string): Promise<void> {
        await call('DELETE /webhooks/{name}', { params: { name } })
      },
      /** Sends a test delivery and returns the answer. Records neither. */
      test: (name: string, payload?: string | Record<string, unknown>): Promise<TestOutcome> =>
        call('POST /webhooks/{name}/test', { params: { name }, body: { payload } }),
      /**
       * Verifies the headers and the raw body of a delivery with the secret of a webhook.
       *
       * @returns The verdict, and what is wrong.
       * @example
       * const headers = { 'X-Service-Signature': 'sha256=0123' }
       * const { diagnosis } = await client.webhooks.explain('deploy', { headers, body: '{}' })
       */
      explain: (
        name: string,
        delivered: BodyOf<'POST /webhooks/{name}/explain'>,
      ): Promise<Explained> =>
        call('POST /webhooks/{name}/explain', { params: { name }, body: delivered }),
      /** Enables a webhook again that answered 410. */
      async enable(name: string): Promise<void> {
        await call('POST /webhooks/{name}/enable', { params: { name } })
      },
    },

    automations: {
      /** Returns the automations: which event calls which webhook. */
      list: async (): Promise<AutomationRule[]> => (await call('GET /automations')).automations,
      /** Adds an automation, written as in a scenario. Replaces one of the same name. */
      async add(automation: AutomationInput): Promise<void> {
        await call('POST /automations', { body: automation })
      },
      /** Removes an automation. Refused with 404 if no automation has that name. */
      async remove(name: string): Promise<void> {
        await call('DELETE /automations/{name}', { params: { name } })
      },
    },

    /**
     * Triggers an event. Returns the ids of the deliveries that it caused.
     *
     * @example
     * const [id] = await client.trigger('RUN_STATE', { state: 'failed' })
     */
    trigger: async (event: EventType | (string & {}), facts: Facts = {}): Promise<string[]> =>
      (await call('POST /trigger', { body: { ...facts, event } })).deliveries,

    deliveries: {
      /** Returns the deliveries, oldest first. */
      list: async (where: QueryOf<'GET /deliveries'> = {}): Promise<ControlDelivery[]> =>
        (await call('GET /deliveries', { query: where })).deliveries,
      /** Returns one delivery. Refused with 404 if no delivery has that id. */
      get: (id: string): Promise<ControlDelivery> =>
        call('GET /deliveries/{delivery_id}', { params: { delivery_id: id } }),
      /** Sends a delivery again, with the same id and the same bytes. */
      resend: (id: string): Promise<ControlDelivery> =>
        call('POST /deliveries/{delivery_id}/resend', { params: { delivery_id: id } }),
    },

    sink: {
      /** Attaches a webhook sink in the process of the emulator, unless there is one. */
      async open(): Promise<void> {
        await call('POST /sink')
      },
      /** Returns what the emulator's own sink received. Refused with 404 if there is no sink. */
      records: async (): Promise<SinkRecord[]> => (await call('GET /sink/records')).records,
    },

    requests: {
      /** Returns the latest requests, or with `after` the next ones, newest last. */
      list: async (where: QueryOf<'GET /requests'> = {}): Promise<RequestEntry[]> =>
        (await call('GET /requests', { query: where })).requests,
      /**
       * Returns one request with its headers, its bodies, and why it was refused. Refused with 404 if the
       * journal has no request with that id.
       *
       * @example
       * const { problems } = await client.requests.get(2)
       */
      get: (id: number): Promise<RequestDetail> =>
        call('GET /requests/{request_id}', { params: { request_id: String(id) } }),
      /** Returns the number of matching requests. */
      count: async (where: QueryOf<'GET /requests/count'> = {}): Promise<number> =>
        (await call('GET /requests/count', { query: where })).count,
      /**
       * Waits until `count` matching requests (default: one) have arrived. Refused with 408 and the
       * closest match after `timeout` (default: 10s of real time).
       *
       * @example
       * const [request] = await client.requests.wait({ operation: 'createRlTrainingJob' })
       */
      wait: async (
        where: QueryOf<'GET /requests/count'>,
        options: WaitOptions = {},
      ): Promise<RequestEntry[]> =>
        (await call('GET /requests/wait', { query: { ...where, ...options } })).requests,
    },

    /**
     * Returns what happened and what is scheduled, in order of time, as text. `job` selects one job by its id.
     * Without a world, each world of an API key has its own part.
     */
    trace: async (options: { job?: string | undefined } = {}): Promise<string> =>
      (await call('GET /trace', { query: options })) as string,
    /**
     * Returns what happened and what is scheduled, in the order of the trace. `job` selects one job by its id.
     *
     * @example
     * const { entries, now } = await client.timeline()
     */
    timeline: (options: QueryOf<'GET /timeline'> = {}): Promise<TimelineState> =>
      call('GET /timeline', { query: options }),
    /**
     * Returns what is scheduled, the next task first. `clock.advanceTo` goes to any of them.
     *
     * @example
     * const { tasks } = await client.agenda()
     * await client.clock.advanceTo(tasks[0]!.at)
     */
    agenda: (options: QueryOf<'GET /agenda'> = {}): Promise<Agenda> =>
      call('GET /agenda', { query: options }),
    /** Returns the worlds of the API keys that were used. Empty if all keys share one world. */
    worlds: async (): Promise<WorldState[]> => (await call('GET /worlds')).worlds,
    /**
     * Returns the mistakes of clients that cost money or data with the real service. All checks run that
     * are not `false`.
     */
    clientChecks: async (
      checks: QueryOf<'GET /client-checks'> = {},
    ): Promise<ClientCheckFinding[]> =>
      (await call('GET /client-checks', { query: checks })).findings,
    /**
     * Returns which behaviors of the service clients of all worlds have met, and what closes each gap.
     *
     * @example
     * const { met, total } = await client.coverage()
     */
    coverage: async (): Promise<Coverage> => (await call('GET /coverage')) as Coverage,
    /** Returns what is left over, and a table of it. */
    pending: (): Promise<Pending> => call('GET /pending'),

    /**
     * Returns what happened as one HTML page, without keys and secrets.
     *
     * @example
     * const page = await client.report({ contents: 'redacted' })
     */
    report: (options: QueryOf<'GET /report'> = {}): Promise<string> =>
      call('GET /report', { query: options }),
    /** Returns the requests in the HAR format, without keys and secrets. */
    har: (options: QueryOf<'GET /har'> = {}): Promise<Har> => call('GET /har', { query: options }),

    /**
     * Returns all records and everything scheduled as one JSON value.
     *
     * @example
     * const snapshot = await client.snapshot()
     * await client.restore(snapshot)
     */
    snapshot: (options: SnapshotOptions = {}): Promise<Snapshot> =>
      call('GET /snapshot', { query: options }),
    /**
     * Replaces the current state by a snapshot. Refused with 400 if the snapshot is damaged or a field
     * is wrong, and with 409 if it has another version or its scenario contains functions. A refused
     * snapshot changes nothing.
     */
    restore: (snapshot: unknown): Promise<Restored> =>
      call('PUT /snapshot', { body: snapshot as object }),
  }
}

function job(id: string): { job_id: string } {
  return { job_id: id }
}

function isoOf(moment: Date | string | number): string {
  return typeof moment === 'string' ? moment : new Date(moment).toISOString()
}

function detailOf(text: string): string {
  try {
    const { detail } = JSON.parse(text) as { detail?: unknown }
    if (typeof detail === 'string') return detail
  } catch {
    // Something else than an emulator answered.
  }
  return text.slice(0, 200)
}
