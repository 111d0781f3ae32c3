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
export function chart(label: string, curve: Curve): Content {
  const scale = scaleOf(curve)
  return markup`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${labelOf(label, curve, scale)}">
<path class="grid" d="M${LEFT} ${TOP}V${HEIGHT - BOTTOM}H${WIDTH - RIGHT}" fill="none"/>
${axes(scale)}
${gapMarks(curve, scale)}${lines(curve, scale)}
</svg>`
}

type Scale = ReturnType<typeof scaleOf>

/** What a picture shows, and where each step and each value is in it. */
function scaleOf({ steps, values }: Curve) {
  const finite = values.filter((value) => typeof value === 'number')
  const [low, high] = [Math.min(...finite), Math.max(...finite)]
  // A series always has the first and the last step of its job.
  const [first = 1] = steps
  const last = steps.at(-1) ?? first
  // Halved, because the whole span may be larger than the largest number.
  const span = high / 2 - low / 2
  const share = (value: number): number => (span > 0 ? (value / 2 - low / 2) / span : 0.5)
  return {
    first,
    last,
    range: finite.length > 0 ? { low, high } : undefined,
    x: (step: number) => {
      return round(LEFT + ((step - first) / Math.max(1, last - first)) * (WIDTH - LEFT - RIGHT))
    },
    y: (value: number) => round(HEIGHT - BOTTOM - share(value) * (HEIGHT - TOP - BOTTOM)),
  }
}

/** What a reader of the page who does not see the picture hears. */
function labelOf(label: string, { name, gaps }: Curve, { first, last, range }: Scale): string {
  const words = [
    `steps ${first} to ${last}`,
    range ? `from ${metric(range.low)} to ${metric(range.high)}` : 'no numbers',
    ...gapWords(gaps),
  ]
  return `${name} of ${label}: ${words.join(', ')}`
}

function axes({ first, last, range, y }: Scale): Content {
  const values = range ? [...new Set([range.high, range.low])] : []
  return [
    values.map((value) => {
      return markup`<text class="axis" x="${LEFT - 6}" y="${y(value) + 4}" text-anchor="end">${metric(value)}</text>`
    }),
    markup`<text class="axis" x="${LEFT}" y="${HEIGHT - 8}">step ${first}</text>`,
    last > first &&
      markup`<text class="axis" x="${WIDTH - RIGHT}" y="${HEIGHT - 8}" text-anchor="end">step ${last}</text>`,
  ]
}

function gapMarks({ gaps }: Curve, { x }: Scale): Content {
  return gaps.slice(0, MOST_GAPS).map(({ from, to, value }) => {
    const text = Math.min(x(from) + 4, WIDTH - 60)
    return markup`<path class="gap" d="M${x(from)} ${TOP}V${HEIGHT - BOTTOM}M${x(to)} ${TOP}V${HEIGHT - BOTTOM}"/><text class="gap-text" x="${text}" y="${TOP - 6}">${value}</text>
`
  })
}

function lines({ steps, values }: Curve, { x, y }: Scale): Content {
  return runsOf(steps, values).map((run) => {
    const points = run.map(([step, value]) => `${x(step)},${y(value)}`).join(' ')
    if (run.length > 1) return markup`<polyline class="curve" points="${points}"/>`
    const [[step, value]] = run as [[number, number]]
    return markup`<circle class="dot" cx="${x(step)}" cy="${y(value)}" r="3"/>`
  })
}

const MOST_GAPS = 20

function gapWords(gaps: Curve['gaps']): string[] {
  const words = gaps.slice(0, MOST_GAPS).map(({ from, to, value }) => {
    return `${value} at step ${from}${to > from ? ` to ${to}` : ''}`
  })
  const left = gaps.length - words.length
  return left > 0 ? [...words, `and ${left} more`] : words
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
