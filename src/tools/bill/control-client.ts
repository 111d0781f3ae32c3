import type { BodyOf, Call } from '../../emulator/control/client/call.js'
import type { Bill } from './control-schemas.js'
import type { billOperations } from './control-rows.js'

export type BillOperation = (typeof billOperations)[number]

/** What `bill` takes: prices, a longer run to estimate, and a budget. */
export type BillWanted = BodyOf<'POST /bill', BillOperation>

/** The methods of a client for bills. */
export type BillMethods = ReturnType<typeof billMethods>

/** Returns the methods of a client for bills. A new row needs a method here. */
export function billMethods(call: Call<BillOperation>) {
  return {
    /**
     * Returns what was used of the service, and what that costs with your prices.
     *
     * @example
     * const { totals, budget } = await client.bill({ budget: '2M-tokens' })
     */
    bill: (wanted: BillWanted = {}): Promise<Bill> => call('POST /bill', { body: wanted }),
  }
}
