import { Emulator } from '../emulator/emulator.js'
import type { BillOptions } from '../tools/bill/bill.js'
import type { Bill } from '../tools/bill/control-schemas.js'
import { billVerb } from '../tools/bill/verb.js'

export { BudgetError, PricesError } from '../tools/bill/bill-errors.js'
export type {
  BillEstimate,
  BillMoney,
  BillRange,
  BillRow,
  BillTotals,
  BudgetVerdict,
} from '../tools/bill/control-schemas.js'
export type { Prices } from '../tools/bill/prices-input.js'
export type { Bill, BillOptions }

/**
 * An emulator of the training service, without ports and files. Its properties are what a test can do with it.
 * `createEmulator` creates one.
 *
 * @example
 * const emulator = createEmulator({ clock: 'manual' })
 * const job = await emulator.jobs.start()
 * emulator.clock.advance('1h')
 * console.log(job.status)
 */
export class EmulatorWithTools extends Emulator {
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
  bill(options?: BillOptions): Promise<Bill> {
    return billVerb(this, options)
  }
}
