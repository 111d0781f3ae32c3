const ORDINALS = ['', 'first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh'] as const

const ENDINGS: Readonly<Record<string, string>> = { one: 'st', two: 'nd', few: 'rd' }
const ordinals = new Intl.PluralRules('en', { type: 'ordinal' })

/** Formats the place in an order: `first`, `21st`. */
export function ordinalText(number: number): string {
  return ORDINALS[number] ?? `${number}${ENDINGS[ordinals.select(number)] ?? 'th'}`
}
