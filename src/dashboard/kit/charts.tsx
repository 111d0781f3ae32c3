import type { ComponentChildren } from 'preact'
import { useRef, useState } from 'preact/hooks'
import { Toggle } from '../parts/choice.js'
import { pngOf, save } from '../parts/export.js'
import { Problem, useAction } from '../parts/use-action.js'
import { counted, figure } from '../parts/amounts.js'
import { Name } from '../parts/facts.js'
import { useQuery } from '../routes.js'
import { csvOf, notFiniteText, stepsAt, valuesAt, type Line } from './line.js'
import { Plot, type PlotOptions, type Zoom } from './plot.js'

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
  const broken = notFinite.length === 0 ? '' : `, ${notFiniteText(notFinite, 1)}`
  if (numbers.length === 0) return `${label}: no finite values${broken}`
  const [from, to] = [numbers[0]!, numbers.at(-1)!]
  return `${label} over ${counted(xs.at(-1) ?? 0, 'step')}, from ${figure(from)} to ${figure(to)}${broken}`
}

interface CurveOptions extends PlotOptions {
  setZoom: (zoom: Zoom | undefined) => void
  /** The fields that change the options. */
  fields: ComponentChildren
}

/** How curves are drawn. It is in the address, so a link shows the same. */
export function useCurveOptions(): CurveOptions {
  const [log, setLog] = useQuery('log')
  const [weight, setWeight] = useQuery('smooth', '0')
  const [steps, setSteps] = useQuery('steps')
  const smoothing = Math.min(0.99, Math.max(0, Number(weight) || 0))
  const zoom = zoomIn(steps)
  const setZoom = (next: Zoom | undefined): void => setSteps(next ? next.join('-') : '')
  const [from = '', to = ''] = zoom?.map(String) ?? []
  const fields = (
    <>
      <Toggle checked={log !== ''} change={(next) => setLog(next ? '1' : '')}>
        Log scale
      </Toggle>
      <label class="line">
        Smoothing{' '}
        <input
          type="range"
          min="0"
          max="0.99"
          step="0.01"
          value={smoothing}
          onInput={({ currentTarget }) => setWeight(currentTarget.value)}
        />
        <output class="number">{smoothing.toFixed(2)}</output>
      </label>
      <form
        class="line"
        onSubmit={(event) => {
          event.preventDefault()
          const data = new FormData(event.currentTarget)
          const [one, other] = [Number(data.get('from')), Number(data.get('to'))]
          const first = Math.min(one, other)
          setZoom(zoomOf(first, Math.max(one, other, first + 1)))
        }}
      >
        <label>
          Steps <input key={from} name="from" type="number" min="0" defaultValue={from} required />
        </label>
        <label>
          to <input key={to} name="to" type="number" min="1" defaultValue={to} required />
        </label>
        <button>Zoom</button>
        <button type="button" disabled={!zoom} onClick={() => setZoom(undefined)}>
          Reset zoom
        </button>
      </form>
    </>
  )
  return { log: log !== '', smoothing, zoom, setZoom, fields }
}

/** The zoom that the address says: `10-20`. */
function zoomIn(text: string): Zoom | undefined {
  const [, from, to] = /^(\d+)-(\d+)$/.exec(text) ?? []
  return zoomOf(Number(from), Number(to))
}

/** Undefined if there is nothing between these steps, or if they are not steps. */
function zoomOf(from: number, to: number): Zoom | undefined {
  return Number.isInteger(from) && Number.isInteger(to) && from >= 0 && from < to
    ? [from, to]
    : undefined
}

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
  const [from, to] = step === null ? [] : stepsAt(line, step)
  return (
    <span class="number">
      {from !== undefined && (
        <span class="faint">
          {from === to ? `step ${figure(from)}` : `steps ${figure(from)}–${figure(to)}`}{' '}
        </span>
      )}
      <LineValue of={line} step={step} none="no value" />
    </span>
  )
}

/** The values of a line at a step, or the latest one. */
function LineValue({ of, step, none }: ReadoutProps & { none: string }): ComponentChildren {
  const values = valuesAt(of, step)
  if (values.length === 0) return <span class="faint">{none}</span>
  const isBroken = values.some((value) => typeof value === 'string')
  return <b class={isBroken ? 'number bad' : 'number'}>{values.map(figure).join(', ')}</b>
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
            <Name of={line.label} /> <LineValue of={line} step={step} none="–" />
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <p class="faint">{counted(hidden, 'value')} of 0 or less: not on a logarithmic scale.</p>
      )}
    </>
  )
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
