import type { Har } from '../../har.js'
import type { Schedule } from '../schemas/schedule.js'
import type { ClientCheckFinding } from '../schemas/client-checks.js'
import type { Lineage } from '../schemas/lineage.js'
import type { Pending } from '../schemas/pending.js'
import type { TimelineState } from '../schemas/timeline.js'
import type { WorldState } from '../schemas/info.js'
import type { Call, QueryOf } from './call.js'

/** The methods of a client for what happened. */
export const evidenceMethods = (call: Call) => ({
  /**
   * Returns what happened and what is scheduled, in order of time, as text. `job` selects one job by its id;
   * `lines` is the most lines that happened, 30 by default.
   * Without a world, each world of an API key has its own part.
   */
  trace: (
    options: { job?: string | undefined; lines?: number | undefined } = {},
  ): Promise<string> => call('GET /trace', { query: options }) as Promise<string>,
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
   * const { tasks } = await client.schedule()
   * await client.clock.advanceTo(tasks[0]!.at)
   */
  schedule: (options: QueryOf<'GET /schedule'> = {}): Promise<Schedule> =>
    call('GET /schedule', { query: options }),
  /** @deprecated Use `schedule`. */
  agenda: (options: QueryOf<'GET /agenda'> = {}): Promise<Schedule> =>
    call('GET /agenda', { query: options }),
  /** Returns the worlds of the API keys that were used. Empty if all keys share one world. */
  worlds: async (): Promise<WorldState[]> => (await call('GET /worlds')).worlds,
  /**
   * Returns the mistakes of clients that cost money or data with the real service. All checks run that
   * are not `false`.
   */
  clientChecks: async (checks: QueryOf<'GET /client-checks'> = {}): Promise<ClientCheckFinding[]> =>
    (await call('GET /client-checks', { query: checks })).findings,
  /**
   * Returns what was sampled, and which jobs trained on it.
   *
   * @example
   * const { jobs, unused } = await client.lineage()
   */
  lineage: (options: QueryOf<'GET /lineage'> = {}): Promise<Lineage> =>
    call('GET /lineage', { query: options }),
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
})
