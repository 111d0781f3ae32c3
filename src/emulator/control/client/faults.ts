import type { FaultInput } from '../../../service/scenario/scenario.js'
import type { ControlFault } from '../schemas/faults.js'
import type { Call } from './call.js'

/** The methods of a client for faults. */
export const faultsMethods = (call: Call) => ({
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
})
