import type { HistoryRow, ListedRun, RunDetails } from '../../runs.js'
import type { Call, QueryOf } from './call.js'
import { partsOf } from '../stored-path.js'

const RUN = 'GET /runs/{entity}/{project}/{run}'

/** The methods of a client for runs. */
export const runsMethods = (call: Call) => ({
  runs: {
    /** Returns the runs that clients logged to, the newest first. */
    list: async (where: QueryOf<'GET /runs'> = {}): Promise<ListedRun[]> =>
      (await call('GET /runs', { query: where })).runs,
    /**
     * Returns a run with its config, its summary and its files.
     *
     * @param which `entity/project/name`, or its name alone.
     * @example
     * const { state, config } = await client.runs.get('local-team/verse/poem')
     */
    get: async (which: string): Promise<RunDetails> =>
      call(RUN, { params: partsOf(which, 'runs.get') }),
    /**
     * Returns what a run logged: all of it, or one metric.
     *
     * @example
     * const rows = await client.runs.history('local-team/verse/poem', { metric: 'loss' })
     */
    history: async (
      which: string,
      options: QueryOf<'GET /runs/{entity}/{project}/{run}/history'> = {},
    ): Promise<HistoryRow[]> =>
      (
        await call(`${RUN}/history`, {
          params: partsOf(which, 'runs.history'),
          query: options,
        })
      ).rows,
    /** Returns the content of a file of a run. */
    download: async (which: string, path: string): Promise<Uint8Array> =>
      call(`${RUN}/file`, {
        params: partsOf(which, 'runs.download'),
        query: { path },
      }) as Promise<Uint8Array>,
  },
})
