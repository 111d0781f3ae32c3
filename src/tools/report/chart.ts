import { markup, type Content } from './markup.js'

/** A metric of a job, and where it is no number. */
export interface Curve {
  readonly name: string
  readonly steps: readonly number[]
  readonly values: readonly (number | null | undefined)[]
  readonly gaps: readonly { readonly from: number; readonly to: number; readonly value: string }[]
}

const WIDTH = 720
const HEIGHT = 200
const LEFT = 76
const RIGHT = 12
const TOP = 20
const BOTTOM = 28

/** Draws a metric as a picture with axes. Its steps that are no numbers are marked. */
export function chart(label: string, { name, steps, values, gaps }: Curve): Content {
  const finite = values.filter((value) => typeof value === 'number')
  const low = Math.min(...finite)
  const high = Math.max(...finite)
  const first = steps[0] ?? 1
  const last = Math.max(steps.at(-1) ?? 1, ...gaps.map(({ to }) => to))
  const x = (step: number): number => {
    return round(LEFT + ((step - first) / Math.max(1, last - first)) * (WIDTH - LEFT - RIGHT))
  }
  // Halved, because the whole span may be larger than the largest number.
  const span = high / 2 - low / 2
  const y = (value: number): number => {
    const share = span > 0 ? (value / 2 - low / 2) / span : 0.5
    return round(HEIGHT - BOTTOM - share * (HEIGHT - TOP - BOTTOM))
  }
  const words = finite.length === 0 ? 'no numbers' : `from ${metric(low)} to ${metric(high)}`
  const isFlat = !(span > 0)
  return markup`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${`${name} of ${label}: steps ${first} to ${last}, ${words}${gaps.length > 0 && `, ${gapWords(gaps)}`}`}">
<path class="grid" d="M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}" fill="none"/>
${
  finite.length > 0 && [
    !isFlat &&
      markup`<text class="axis" x="${LEFT - 6}" y="${y(high) + 4}" text-anchor="end">${metric(high)}</text>`,
    markup`<text class="axis" x="${LEFT - 6}" y="${y(low) + 4}" text-anchor="end">${metric(low)}</text>`,
  ]
}
<text class="axis" x="${LEFT}" y="${HEIGHT - 8}">step ${first}</text>
${last > first && markup`<text class="axis" x="${WIDTH - RIGHT}" y="${HEIGHT - 8}" text-anchor="end">step ${last}</text>`}
${gaps.slice(0, MOST_GAPS).map(
  ({
    from,
    to,
    value,
  }) => markup`<path class="gap" d="M${x(from)} ${TOP}V${HEIGHT - BOTTOM}M${x(to)} ${TOP}V${HEIGHT - BOTTOM}"/><text class="gap-text" x="${Math.min(x(from) + 4, WIDTH - 60)}" y="${TOP - 6}">${value}</text>
`,
)}${runsOf(steps, values).map((run) => {
    const points = run.map(([step, value]) => `${x(step)},${y(value)}`).join(' ')
    if (run.length > 1) return markup`<polyline class="curve" points="${points}"/>`
    const [[step, value]] = run as [[number, number]]
    return markup`<circle class="dot" cx="${x(step)}" cy="${y(value)}" r="3"/>`
  })}
</svg>`
}

const MOST_GAPS = 20

function gapWords(gaps: Curve['gaps']): string {
  const words = gaps.slice(0, MOST_GAPS).map(({ from, to, value }) => {
    return `${value} at step ${from}${to > from ? ` to ${to}` : ''}`
  })
  const left = gaps.length - words.length
  return [...words, ...(left > 0 ? [`and ${left} more`] : [])].join(', ')
}

/** The parts of a curve without a hole. */
function runsOf(steps: readonly number[], values: Curve['values']): [number, number][][] {
  const runs: [number, number][][] = []
  let run: [number, number][] = []
  for (const [row, step] of steps.entries()) {
    const value = values[row]
    if (typeof value === 'number') {
      if (run.length === 0) runs.push(run)
      run.push([step, value])
    } else run = []
  }
  return runs
}

/** Formats a value with four digits. */
export function metric(value: number): string {
  return String(Number(value.toPrecision(4)))
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
