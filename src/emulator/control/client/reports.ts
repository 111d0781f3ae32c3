import type { Har } from '../../report-options.js'
import type { Call, QueryOf } from './call.js'

/** The methods of a client for reports. */
export function reportsMethods(call: Call) {
  return {
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
  }
}
