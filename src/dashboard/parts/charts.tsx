import type { ComponentChildren } from 'preact'
import { Chart } from './chart.js'
import { useCurveOptions } from './curve-options.js'
import type { Line } from './line.js'
import { counted, figure } from './wording.js'

const CHART_HEIGHT = 170

interface ChartsProps {
  /** One curve for each metric, the usual ones first. Pass the same lines each time they are unchanged. */
  of: readonly Line[]
  /** The axes extend at least to this step. */
  end?: number | null
  /** Shown if there is no curve. */
  empty: string
  /** Beside the options. */
  children?: ComponentChildren
}

/** The first two curves. The user can open the others. */
export function Charts({ of: lines, end = null, empty, children }: ChartsProps): ComponentChildren {
  const options = useCurveOptions()
  const drawn = lines.map((line) => (
    <Chart
      key={line.label}
      name={line.label}
      label={describe(line)}
      lines={[line]}
      options={options}
      height={CHART_HEIGHT}
      end={end}
    />
  ))
  if (drawn.length === 0) return <p class="empty charts">{empty}</p>
  return (
    <section aria-label="Curves">
      <div class="toolbar curve-options">
        {options.fields}
        {children}
      </div>
      <div class="charts">{drawn.slice(0, 2)}</div>
      {drawn.length > 2 && (
        <details>
          <summary>{counted(drawn.length - 2, 'more metric')}</summary>
          <div class="charts">{drawn.slice(2)}</div>
        </details>
      )}
    </section>
  )
}

function describe({ label, xs, ys, notFinite }: Line): string {
  const numbers = ys.filter((value) => value !== null)
  const broken = notFinite.map(({ value, from, to }) => {
    return from === to
      ? `${value} at step ${figure(from)}`
      : `${value} from step ${figure(from)} to ${figure(to)}`
  })
  const [first, ...rest] = broken
  const more = rest.length > 0 ? `, and ${counted(rest.length, 'more time')}` : ''
  const what = first === undefined ? '' : `, ${first}${more}`
  if (numbers.length === 0) return `${label}: no finite values${what}`
  const [from, to] = [numbers[0]!, numbers.at(-1)!]
  return `${label} over ${figure(xs.at(-1) ?? 0)} steps, from ${figure(from)} to ${figure(to)}${what}`
}
