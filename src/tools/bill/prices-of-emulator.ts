import type { Emulator } from '../../emulator/emulator.js'
import type { Prices } from './prices-input.js'

/** By the emulator that a world belongs to. */
const known = new WeakMap<Emulator, Prices>()

/**
 * Uses prices in all later bills of an emulator and its worlds that name none, such as those that a command of `exec`
 * asks for.
 */
export function usePrices({ whole }: Emulator, prices: Prices): void {
  known.set(whole, prices)
}

/** The prices that a world uses. */
export function pricesOf({ whole }: Emulator): Prices | undefined {
  return known.get(whole)
}
