import type { Prices } from './prices-input.js'

const known = new WeakMap<object, Prices>()

/** Uses prices in all later bills of an emulator that name none, such as those that a command of `exec` asks for. */
export function usePrices(emulator: object, prices: Prices): void {
  known.set(emulator, prices)
}

/** The prices that an emulator uses. */
export function pricesOf(emulator: object): Prices | undefined {
  return known.get(emulator)
}
