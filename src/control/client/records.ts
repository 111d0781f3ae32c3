import type { Pending } from '../../testing/pending.js'
import { queryOf, type Ask } from './ask.js'

export interface RequestsWhere {
  /** Its id, such as `createRlTrainingJob`. */
  operation?: string
  method?: string
  /** A glob. */
  path?: string
  status?: number
  /** The id of a job that it created or asked for. */
  job?: string
  /** Only those recorded after the one of this id. */
  after?: number
}

/** A request, as the journal has it. */
export interface RecordedRequest {
  id: number
  /** In ISO 8601. */
  at: string
  cause: number | null
  kind: 'request'
  text: string
  host: string
  method: string
  path: string
  query: string
  operation?: string
  status?: number
  lost?: 'disconnect' | 'hang'
  /** Milliseconds of wall time until the answer was ready. */
  took?: number
  /** Of an error: why, in one short line without keys. */
  detail?: string
  /** What the client may have meant. */
  hint?: string
  effects: string[]
}

export interface RecordCalls {
  readonly requests: {
    /** The latest, or with `after` those that follow; newest last. At most 100, or `limit`. */
    list: (where?: RequestsWhere & { limit?: number }) => Promise<RecordedRequest[]>
    count: (where?: RequestsWhere) => Promise<number>
    /**
     * Resolves once there were so many (one). Refused with 408 after the `timeout` (10s of real time):
     * it says which request came nearest.
     */
    wait: (
      where: RequestsWhere,
      options?: { count?: number; timeout?: string },
    ) => Promise<RecordedRequest[]>
  }
  /** What happened, in order of time; of one job, if you name one. */
  trace: (options?: { job?: string }) => Promise<string>
  /** What is left over, and a table of it. */
  pending: () => Promise<{ pending: Pending[]; text: string }>
}

interface Listed {
  requests: RecordedRequest[]
}

export function recordCalls(ask: Ask): RecordCalls {
  return {
    requests: {
      list: async (where = {}) => (await ask<Listed>('GET', `/requests${queryOf(where)}`)).requests,
      async count(where = {}) {
        return (await ask<{ count: number }>('GET', `/requests/count${queryOf(where)}`)).count
      },
      async wait(where, options = {}) {
        const query = queryOf({ ...where, ...options })
        return (await ask<Listed>('GET', `/requests/wait${query}`)).requests
      },
    },
    trace: (options = {}) => ask('GET', `/trace${queryOf(options)}`),
    pending: () => ask('GET', '/pending'),
  }
}
