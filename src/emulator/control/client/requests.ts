import type { RequestDetail } from '../schemas/requests.js'
import type { RequestEntry } from '../schemas/journal.js'
import { joined, type Call, type QueryOf } from './call.js'

/** The options of `requests.wait`: how many requests, and how long in real time. */
type WaitOptions = Pick<QueryOf<'GET /requests/wait'>, 'count' | 'timeout'>

/** The methods of a client for requests. */
export const requestsMethods = (call: Call) => ({
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
      (await call('GET /requests/wait', { query: joined('requests.wait', where, options) }))
        .requests,
  },
})
