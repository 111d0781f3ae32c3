import { EmulatorError } from '../../base/text/emulator-error.js'
import { control } from '../../emulator/control/row.js'
import { ApiError } from '../../service/contract/errors.js'
import { bill, billRequest } from './control-schemas.js'
import { pricesOf } from './prices-of-emulator.js'

const readBill = control({
  id: 'readBill',
  method: 'POST',
  path: '/_emulator/bill',
  summary: 'What was used of the service, what that costs, and an estimate of a longer run',
  refusals: [400],
  body: billRequest,
  response: bill,
  async run({ emulator: world, body: { prices = pricesOf(world), ...options } }) {
    const { billOf } = await import('./bill.js')
    try {
      return billOf([world], { ...options, prices })
    } catch (error) {
      // The prices or the budget.
      if (error instanceof EmulatorError) return new ApiError(400, error.message)
      throw error
    }
  },
})

/** The rows of bills in the control API. */
export const billOperations = [readBill]
