import * as z from 'zod'
import { matchesGlob } from '../../base/text/glob.js'
import { readPart } from '../../service/scenario/part-problems.js'
import { ScenarioError } from '../../service/scenario/scenario-error.js'
import { parse, refuse, type Source } from '../../service/scenario/scenario-yaml.js'
import { PricesError } from './bill-errors.js'
import type { Prices } from './prices-input.js'

const amount = z.number().nonnegative()

const UNITS: Readonly<Record<string, number>> = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9 }
const SIZE = new RegExp(String.raw`^(\d+(?:\.\d+)?) ?(${Object.keys(UNITS).join('|')})$`)
const NOT_A_SIZE = 'expected a size such as 320MB or 1.2GB'

const pricesSchema = z.strictObject({
  currency: z.string().regex(/^(?!tokens$)[a-z]{1,10}$/i, {
    error: 'expected the letters of a currency, such as usd',
  }),
  models: z.record(
    z.string().min(1, { error: 'expected a name, or a pattern such as example/*' }),
    z.strictObject({ prompt: amount, completion: amount, trained: amount.optional() }),
  ),
  storage: z
    .strictObject({
      gb_month: amount,
      checkpoint: z.string({ error: NOT_A_SIZE }).regex(SIZE, { error: NOT_A_SIZE }).optional(),
    })
    .optional(),
  training_hour: amount.optional(),
})

/**
 * Checks prices.
 *
 * @param given An object, or the text of a YAML or JSON file.
 * @throws {PricesError} When they cannot be used.
 */
export function readPrices(given: string | Prices, file = 'The text of the prices'): Prices {
  try {
    const source: Source =
      typeof given === 'string'
        ? parse(given, file)
        : { input: given, label: 'The prices', locate: () => ({}) }
    const read = readPart(pricesSchema, source.input)
    return read.ok ? read.value : refuse(source, read.problems)
  } catch (error) {
    if (error instanceof ScenarioError) throw new PricesError(error.message)
    throw error
  }
}

/** Reads a size, such as `320MB`, in bytes. */
export function bytesIn(size: string): number {
  const [, number, unit] = SIZE.exec(size)!
  return Number(number) * UNITS[unit!]!
}

/** The prices of a model: those of the first pattern that its name, or that of its base model, matches. */
export function priceOf(
  { models }: Prices,
  { model, base }: { model: string; base: string | null },
): Prices['models'][string] | undefined {
  const found = Object.entries(models).find(([pattern]) => {
    return matchesGlob(model, pattern) || (base !== null && matchesGlob(base, pattern))
  })
  return found?.[1]
}
