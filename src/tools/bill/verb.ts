import { valueKind, nonEmptyText, Options, wholeNumber } from '../../base/text/options.js'
import type { Emulator } from '../../emulator/emulator.js'
import type { BillOptions } from './bill.js'
import type { Bill } from './control-schemas.js'
import { pricesOf } from './prices-of-emulator.js'
import { MOST_STEPS } from './steps.js'

export const billOptions = new Options<BillOptions>('bill', {
  prices: valueKind('an object with prices, or the text of a price file', (value) => {
    return typeof value === 'string' || (typeof value === 'object' && value !== null)
  }),
  steps: wholeNumber({ least: 1, most: MOST_STEPS }),
  budget: nonEmptyText,
})

/** What `emulator.bill` does. Most tests need no bill, so its code loads with the first call. */
export async function billVerb(emulator: Emulator, options: BillOptions = {}): Promise<Bill> {
  billOptions.check(options)
  const { billOf } = await import('./bill.js')
  return billOf([emulator], { ...options, prices: options.prices ?? pricesOf(emulator) })
}
