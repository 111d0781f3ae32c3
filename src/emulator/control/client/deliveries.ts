import type { ControlDelivery } from '../schemas/deliveries.js'
import type { SinkRecord } from '../schemas/sink.js'
import type { BodyOf, Call, QueryOf } from './call.js'

/** The methods of a client for deliveries and the sink. */
export const deliveriesMethods = (call: Call) => ({
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
    /**
     * Sends all failed deliveries again, and returns them with the new attempts.
     *
     * @example
     * const sent = await client.deliveries.resendFailed({ webhook: 'mine' })
     */
    resendFailed: async (
      where: BodyOf<'POST /deliveries/resend'> = {},
    ): Promise<ControlDelivery[]> =>
      (await call('POST /deliveries/resend', { body: where })).deliveries,
  },
  sink: {
    /** Attaches a webhook sink in the process of the emulator, unless there is one. */
    async open(): Promise<void> {
      await call('POST /sink')
    },
    /** Returns what the emulator's own sink received. Refused with 404 if there is no sink. */
    records: async (where: QueryOf<'GET /sink/records'> = {}): Promise<SinkRecord[]> =>
      (await call('GET /sink/records', { query: where })).records,
  },
})
