import { kindOf, nonEmptyText, Options, wholeNumber } from '../../base/text/options.js'
import type { Verbs } from '../../emulator/emulator.js'
import type { BillOptions } from './bill.js'
import type { Bill } from './bill-types.js'
import { pricesOf } from './known-prices.js'

/** The most steps that a bill estimates. */
export const MOST_STEPS = 1_000_000

export const billOptions = new Options<BillOptions>('bill', {
  prices: kindOf('an object with prices, or the text of a price file', (value) => {
    return typeof value === 'string' || (typeof value === 'object' && value !== null)
  }),
  steps: wholeNumber({ least: 1, most: MOST_STEPS }),
  budget: nonEmptyText,
})

/** The verb that bills add to emulators. */
export interface BillVerbs {
  /**
   * Returns what was used of the service, and what that costs with your prices. See docs/how-to/bill.md.
   *
   * @param options Your prices, a longer run to estimate, and a budget.
   * @returns The bill of this world.
   * @throws {PricesError} When the prices cannot be used.
   * @throws {BudgetError} When the budget cannot be used.
   * @throws {OptionsError} When an option can't be used.
   * @example
   * const { totals, estimate } = await emulator.bill({ steps: 30 })
   * console.log(totals.trained, estimate?.trained.high)
   */
  bill(options?: BillOptions): Promise<Bill>
}

export const billVerbs: Verbs<BillVerbs> = {
  bill:
    (emulator) =>
    async (options = {}) => {
      billOptions.check(options)
      // Most tests need no bill.
      const { billOf } = await import('./bill.js')
      return billOf([emulator], { ...options, prices: options.prices ?? pricesOf(emulator) })
    },
}
