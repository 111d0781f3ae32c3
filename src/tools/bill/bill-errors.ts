import { EmulatorError } from '../../base/text/emulator-error.js'

/** Thrown for prices that cannot be used. The message lists what is wrong. Code `SVTRAIN_PRICES`. */
export class PricesError extends EmulatorError {
  override readonly name = 'PricesError'
  readonly code = 'SVTRAIN_PRICES'
}

/** Thrown for a budget that cannot be used. Code `SVTRAIN_BUDGET`. */
export class BudgetError extends EmulatorError {
  override readonly name = 'BudgetError'
  readonly code = 'SVTRAIN_BUDGET'
}
