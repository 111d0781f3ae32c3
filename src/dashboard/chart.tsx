import type { ComponentChildren } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import type { Curves } from './curves.js'
import { figure, Name } from './wording.js'

const HEIGHT = 170

interface ChartProps {
  name: string
  curves: Curves
  /** While the job runs, the axis extends to this step. */
  steps: number | null
}

/** The chart of one metric. The cursors of all charts move together. */
export function Chart({ name, curves, steps }: ChartProps): ComponentChildren {
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const [pointed, setPointed] = useState<number | null>(null)
  const end = useRef(steps)
  end.current = steps
  const values = curves.column(name)
  const size = curves.steps.length

  useEffect(() => {
    const box = place.current!
    const range: uPlot.Scale.Range = (_, from, to) => [
      from,
      Math.max(to, end.current ?? 0, from + 1),
    ]
    const chart = new uPlot(
      {
        ...optionsFor(name, box.clientWidth, range),
        hooks: { setCursor: [({ cursor }) => setPointed(cursor.idx ?? null)] },
      },
      [[], []],
      box,
    )
    plot.current = chart
    const resized = new ResizeObserver(() => {
      chart.setSize({ width: box.clientWidth, height: HEIGHT })
    })
    resized.observe(box)
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    const redraw = (): void => chart.redraw(false, true)
    scheme.addEventListener('change', redraw)
    return () => {
      scheme.removeEventListener('change', redraw)
      resized.disconnect()
      chart.destroy()
    }
  }, [name])

  // The columns grow in place, so only their length shows that they changed.
  useEffect(() => plot.current!.setData([curves.steps, [...values]]), [name, curves, size, steps])

  const shown = pointed === null ? values.findLast((value) => value !== null) : values[pointed]
  return (
    <figure class="chart">
      <figcaption>
        <Name of={name} />
        <span class="number">
          {pointed !== null && <span class="faint">step {figure(curves.steps[pointed])} </span>}
          {typeof shown !== 'number' ? 'no value' : figure(shown)}
        </span>
      </figcaption>
      <div ref={place} role="img" aria-label={describe(name, curves)} />
    </figure>
  )
}

function describe(name: string, curves: Curves): string {
  const numbers = curves.column(name).filter((value) => value !== null)
  if (numbers.length === 0) return `${name}: no values`
  const [from, to] = [numbers[0]!, numbers.at(-1)!]
  return `${name} over ${figure(curves.last)} steps, from ${figure(from)} to ${figure(to)}`
}

function optionsFor(name: string, width: number, range: uPlot.Scale.Range): uPlot.Options {
  const axis = {
    stroke: () => color('--faint'),
    grid: { stroke: () => color('--line'), width: 1 },
    ticks: { show: false },
    font: `11px ${getComputedStyle(document.body).fontFamily}`,
  }
  return {
    width,
    height: HEIGHT,
    legend: { show: false },
    cursor: { sync: { key: 'steps' }, y: false },
    padding: [8, 8, 0, 0],
    scales: { x: { time: false, range } },
    axes: [
      { ...axis, size: 24, space: 60, incrs: WHOLE },
      { ...axis, size: 56, space: 32, values: (_, splits) => splits.map((each) => figure(each)) },
    ],
    series: [
      { label: 'step' },
      { label: name, stroke: () => color('--accent'), width: 1.5, points: { size: 4 } },
    ],
  }
}

/** Steps are whole numbers. */
const WHOLE = [1, 2, 5]
  .flatMap((each) => [each, each * 10, each * 100, each * 1e3, each * 1e4, each * 1e5])
  .sort((a, b) => a - b)

function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name)
}
