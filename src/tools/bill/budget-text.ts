/** Completes "takes …" and "expected …". */
export const BUDGET = 'a limit such as 5usd, 2M-tokens or 500k-tokens'

const SCALES: Readonly<Record<string, number>> = { k: 1e3, M: 1e6, B: 1e9 }
const TOKENS = /^(\d+(?:\.\d+)?)([kMB]?)[- ]?tokens$/
const MONEY = /^(\d+(?:\.\d+)?) ?([a-z]{1,10})$/i

/** Reads a budget. Without a currency, the amount is one of tokens. Undefined for another text. */
export function parseBudget(
  text: string,
): { readonly amount: number; readonly currency: string | undefined } | undefined {
  const [, tokens, scale = ''] = TOKENS.exec(text) ?? []
  if (tokens !== undefined) {
    return { amount: Number(tokens) * (SCALES[scale] ?? 1), currency: undefined }
  }
  const [, amount, currency] = MONEY.exec(text) ?? []
  return amount === undefined ? undefined : { amount: Number(amount), currency }
}
