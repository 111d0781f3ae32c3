import { BudgetError } from './bill-errors.js'
import type { Bill, BudgetVerdict } from './control-schemas.js'
import { amountText, tokensText } from './format.js'

const SCALES: Readonly<Record<string, number>> = { k: 1e3, M: 1e6, B: 1e9 }
const TOKENS = new RegExp(
  String.raw`^(\d+(?:\.\d+)?)([${Object.keys(SCALES).join('')}]?)[- ]?tokens?$`,
)
const MONEY = /^(\d+(?:\.\d+)?) ?([a-z]{1,10})$/i

/** A limit that a bill is compared with. */
export interface Budget {
  /** As its user wrote it. */
  readonly limit: string
  readonly amount: number
  /** The currency. Undefined: it limits tokens. */
  readonly currency: string | undefined
}

/**
 * Reads a budget.
 *
 * @param currency That of the prices, if there are any.
 * @throws {BudgetError} When it is none, or when it has another currency than the prices.
 */
export function readBudget(text: string, currency: string | undefined): Budget {
  const [, tokens, scale = ''] = TOKENS.exec(text) ?? []
  if (tokens !== undefined) {
    // Tokens are whole, but 1.019 times 1000 is a little less than 1019.
    const whole = Math.round(Number(tokens) * (SCALES[scale] ?? 1))
    return { limit: text, amount: whole, currency: undefined }
  }
  const [, amount, named] = MONEY.exec(text) ?? []
  const known = [currency?.toUpperCase(), ...Intl.supportedValuesOf('currency')]
  if (named === undefined || !known.includes(named.toUpperCase())) {
    throw new BudgetError(
      `The budget "${text}" cannot be used: expected a limit such as 5usd, 2M-tokens or 500k-tokens.`,
    )
  }
  if (currency === undefined) {
    throw new BudgetError(
      `The budget "${text}" needs prices: the emulator has none of its own. Pass yours, or limit tokens: 2M-tokens.`,
    )
  }
  if (named.toLowerCase() !== currency.toLowerCase()) {
    throw new BudgetError(
      `The budget "${text}" cannot be used: the prices are in ${currency}. Write ${Number(amount)}${currency}.`,
    )
  }
  return { limit: text, amount: Number(amount), currency }
}

type JudgedBill = Omit<Bill, 'text'>

/** Compares a bill with a budget. With `steps`, the upper end of the estimate counts. */
export function verdictOf(
  budget: Budget,
  bill: JudgedBill,
  steps: number | undefined,
): BudgetVerdict {
  const { limit } = budget
  const why = whyUnknown(budget, bill, steps)
  if (why !== undefined) {
    const text = `The budget ${limit} cannot be judged. ${why}`
    return { limit, amount: null, passed: false, text }
  }
  const { amount, text: used } = usedOf(budget, bill)
  const passed = amount <= budget.amount
  const of = bill.estimate ? `a run of ${bill.estimate.to} steps may use` : 'the run used'
  const verdict = passed ? `Within the budget ${limit}` : `Over the budget ${limit}`
  return { limit, amount, passed, text: `${verdict}: ${of} ${used}.` }
}

/** Why nobody can say what counts. Undefined if it is known. */
function whyUnknown(
  { currency }: Budget,
  { totals, money, estimate, notes }: JudgedBill,
  steps: number | undefined,
): string | undefined {
  if (currency !== undefined && money && money.unpriced.length > 0) {
    return `No price for ${money.unpriced.join(', ')}.`
  }
  return steps !== undefined && !estimate && totals.jobs < steps ? notes.join(' ') : undefined
}

function usedOf({ currency }: Budget, { totals, money, estimate }: JudgedBill) {
  if (currency === undefined) {
    const counted = totals.prompt + totals.completion + totals.trained
    const amount = estimate?.tokens.high ?? counted
    return { amount, text: `${tokensText(amount)} tokens` }
  }
  const amount = estimate?.money?.high ?? money!.total
  return { amount, text: amountText(amount, currency) }
}
