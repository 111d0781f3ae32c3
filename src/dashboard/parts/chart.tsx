import type { ComponentChildren } from 'preact'
import { useMemo, useState } from 'preact/hooks'
import type { Curves } from './curves.js'
import type { Line } from './line.js'
import { Plot, type PlotOptions, type Zoom } from './plot.js'
import { counted, figure, Name } from './wording.js'

const HEIGHT = 170

interface ChartProps {
  name: string
  curves: Curves
  /** While the job runs, the axis extends to this step. */
  steps: number | null
  options: PlotOptions
  onZoom: (zoom: Zoom | undefined) => void
}

/** The chart of one metric of a job. */
export function Chart({ name, curves, steps, options, onZoom }: ChartProps): ComponentChildren {
  const [pointed, setPointed] = useState<number | null>(null)
  const size = curves.steps.length
  // The columns grow in place, so their size says that they changed.
  const lines = useMemo(
    (): Line[] => [
      {
        label: name,
        color: '--accent',
        xs: curves.steps,
        ys: curves.column(name),
        notFinite: curves.notFinite(name),
      },
    ],
    [name, curves, size],
  )
  return (
    <figure class="chart">
      <figcaption>
        <Name of={name} />
        <Readout name={name} curves={curves} step={pointed} />
      </figcaption>
      <Plot
        {...options}
        label={describe(name, curves)}
        lines={lines}
        height={HEIGHT}
        end={steps}
        onPoint={setPointed}
        onZoom={onZoom}
      />
    </figure>
  )
}

/** The value under the pointer, or the latest one. */
function Readout({
  name,
  curves,
  step,
}: {
  name: string
  curves: Curves
  step: number | null
}): ComponentChildren {
  const at = step === null ? -1 : curves.steps.indexOf(step)
  const [from, to] = curves.stepsAt(at)
  const broken = curves.notFinite(name).find((run) => run.from <= to && from <= run.to)?.value
  const finite = at === -1 ? undefined : curves.column(name)[at]
  const values = at === -1 ? [curves.latest(name)] : [finite ?? undefined, broken]
  const shown = values.filter((value) => value !== undefined && value !== null)
  return (
    <span class={shown.some((value) => typeof value === 'string') ? 'number bad' : 'number'}>
      {at !== -1 && (
        <span class="faint">
          {from === to ? `step ${figure(from)}` : `steps ${figure(from)}–${figure(to)}`}{' '}
        </span>
      )}
      {shown.length === 0 ? 'no value' : shown.map(figure).join(', ')}
    </span>
  )
}

function describe(name: string, curves: Curves): string {
  const numbers = curves.column(name).filter((value) => value !== null)
  const broken = curves.notFinite(name).map(({ value, from, to }) => {
    return from === to
      ? `${value} at step ${figure(from)}`
      : `${value} from step ${figure(from)} to ${figure(to)}`
  })
  const [first, ...rest] = broken
  const more = rest.length > 0 ? `, and ${counted(rest.length, 'more time')}` : ''
  const what = first === undefined ? '' : `, ${first}${more}`
  if (numbers.length === 0) return `${name}: no finite values${what}`
  const [from, to] = [numbers[0]!, numbers.at(-1)!]
  return `${name} over ${figure(curves.last)} steps, from ${figure(from)} to ${figure(to)}${what}`
}
