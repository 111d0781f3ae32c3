import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { CurveOptions } from './curve-options.js'
import { pngOf, save } from './export.js'
import { csvOf, stepsAt, valuesAt, type Line } from './line.js'
import { Plot } from './plot.js'
import { Problem, useAction } from './use-action.js'
import { counted, figure, Name } from './wording.js'

interface ChartProps {
  /** The name of the metric. */
  name: string
  /** What the chart shows, for screen readers. */
  label: string
  /** Pass the same array each time, so that an unchanged chart is not drawn again. */
  lines: readonly Line[]
  options: CurveOptions
  height: number
  /** The axis extends at least to this step. */
  end?: number | null
  /** Loads all steps of the lines, for an export. Default: the chart has no legend and no exports. */
  exact?: () => Promise<readonly Line[]>
}

/** The curves of one metric, with the values under the pointer, or the latest ones. */
export function Chart(props: ChartProps): ComponentChildren {
  const { name, label, lines, options, height, end, exact } = props
  const [step, setStep] = useState<number | null>(null)
  const place = useRef<HTMLElement>(null)
  const { setZoom, fields: _fields, ...drawn } = options
  return (
    <figure class="chart card" ref={place}>
      <figcaption>
        <Name of={name} />
        {exact && step !== null && <span class="faint number">step {figure(step)}</span>}
        {exact && <Exports {...{ name, lines, place, exact }} />}
        {!exact && <Readout of={lines[0]!} step={step} />}
      </figcaption>
      <Plot {...{ ...drawn, label, lines, height, end }} onPoint={setStep} onZoom={setZoom} />
      {exact && <Legend of={lines} step={step} log={options.log} />}
    </figure>
  )
}

interface ReadoutProps {
  of: Line
  step: number | null
}

/** The value of a single line. */
function Readout({ of: line, step }: ReadoutProps): ComponentChildren {
  const values = valuesAt(line, step)
  const [from, to] = step === null ? [] : stepsAt(line, step)
  return (
    <span class={values.some((value) => typeof value === 'string') ? 'number bad' : 'number'}>
      {from !== undefined && (
        <span class="faint">
          {from === to ? `step ${figure(from)}` : `steps ${figure(from)}–${figure(to)}`}{' '}
        </span>
      )}
      {values.length === 0 ? 'no value' : values.map(figure).join(', ')}
    </span>
  )
}

interface LegendProps {
  of: readonly Line[]
  step: number | null
  log: boolean
}

/** The colors of the lines and their values, and how many values have no place in the chart. */
function Legend({ of: lines, step, log }: LegendProps): ComponentChildren {
  const values = log ? lines.flatMap(({ ys }) => ys) : []
  const hidden = values.filter((y) => y !== null && y <= 0).length
  return (
    <>
      <ul class="legend">
        {lines.map((line) => (
          <li key={line.label}>
            <span class="swatch" style={{ background: `var(${line.color})` }} />
            <Name of={line.label} /> <LineValue of={line} step={step} />
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <p class="faint">{counted(hidden, 'value')} of 0 or less: not on a logarithmic scale.</p>
      )}
    </>
  )
}

function LineValue({ of: line, step }: ReadoutProps): ComponentChildren {
  const [value] = valuesAt(line, step)
  if (value === undefined) return <span class="faint">–</span>
  return <b class={typeof value === 'string' ? 'number bad' : 'number'}>{figure(value)}</b>
}

interface ExportsProps extends Required<Pick<ChartProps, 'name' | 'lines' | 'exact'>> {
  place: { current: HTMLElement | null }
}

/** Saves the values or the image of a chart as a file. */
function Exports({ name, lines, place, exact }: ExportsProps): ComponentChildren {
  const { busy, run, problem } = useAction()
  const files = {
    CSV: async () => new Blob([csvOf(await exact())], { type: 'text/csv' }),
    PNG: () => pngOf(place.current!, name, lines),
  }
  return (
    <span class="line">
      {Object.entries(files).map(([kind, fileOf]) => (
        <button
          key={kind}
          class="plain"
          disabled={busy}
          onClick={() => run(async () => save(`${name}.${kind.toLowerCase()}`, await fileOf()))}
        >
          {kind}
          <span class="hidden-label"> of {name}</span>
        </button>
      ))}
      <Problem of={problem} />
    </span>
  )
}
