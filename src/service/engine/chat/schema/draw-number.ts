import type { DrawTools } from './draw-text.js'
import { INTEGER, type Shape } from './shape.js'
import { Unmet } from './unmet.js'

/** How many numbers are tried, and how many of them are drawn: the last ones are bounds and other special numbers. */
const MOST_NUMBERS = 40
const DRAWN_NUMBERS = 30

/**
 * Draws a number of a kind that matches all of the schemas.
 *
 * @throws {Unmet} When it finds none.
 */
export function drawNumber(
  shapes: readonly Shape[],
  kind: number,
  { random, fits }: DrawTools,
): number {
  const least = Math.max(...shapes.flatMap((s) => [s.minimum, s.exclusiveMinimum]))
  const most = Math.min(...shapes.flatMap((s) => [s.maximum, s.exclusiveMaximum]))
  const units = shapes.flatMap(({ multipleOf }) => multipleOf ?? [])
  const unit = Math.max(kind === INTEGER ? 1 : 0, ...units)
  const width = 100 * Math.max(unit, 1)
  const from = least === -Infinity ? Math.min(0, most - width) : least
  const to = most === Infinity ? Math.max(from + width, width) : most
  for (let attempt = 0; attempt < MOST_NUMBERS; attempt++) {
    const value = numberIn({ from, to, unit: unit || undefined, attempt }, random())
    const isWhole = kind !== INTEGER || Number.isInteger(value)
    if (Number.isFinite(value) && isWhole && fits(value)) return value
  }
  throw new Unmet(shapes.find((s) => s.minimum > -Infinity || s.multipleOf) ?? shapes[0])
}

interface Range {
  from: number
  to: number
  unit: number | undefined
  attempt: number
}

function numberIn({ from, to, unit, attempt }: Range, share: number): number {
  if (attempt >= DRAWN_NUMBERS)
    return [from, to, 0, Math.ceil(from), Math.floor(to), unit ?? 1][attempt % 6]!
  if (unit === undefined) {
    const value = from + share * (to - from)
    const rounded = Math.round(value * 1000) / 1000
    return rounded > from && rounded < to ? rounded : value
  }
  const [first, last] = [Math.ceil(from / unit), Math.floor(to / unit)]
  const value = (first + Math.floor(share * (last - first + 1))) * unit
  return attempt % 2 === 0 ? Number(value.toPrecision(15)) : value
}
