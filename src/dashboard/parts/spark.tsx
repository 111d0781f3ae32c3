import type { ComponentChildren } from 'preact'
import type { Line } from './line.js'

const WIDTH = 100
const HEIGHT = 20

/** A small curve in a table. It is decoration: the cell says the last value. */
export function Spark({ of: { xs, ys } }: { of: Line }): ComponentChildren {
  const points = xs.flatMap((x, at) => {
    const y = ys[at] ?? null
    return y === null ? [] : [[x, y] as const]
  })
  const [left, right] = rangeOf(points.map(([x]) => x))
  const [low, high] = rangeOf(points.map(([, y]) => y))
  const place = points.map(([x, y]) => {
    const across = ((x - left) / (right - left || 1)) * WIDTH
    const down = HEIGHT - 1 - ((y - low) / (high - low || 1)) * (HEIGHT - 2)
    return `${across.toFixed(1)},${down.toFixed(1)}`
  })
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polyline points={place.join(' ')} />
    </svg>
  )
}

function rangeOf(values: readonly number[]): [least: number, most: number] {
  return values.reduce(
    ([least, most], each) => [Math.min(least, each), Math.max(most, each)],
    [Infinity, -Infinity],
  )
}
