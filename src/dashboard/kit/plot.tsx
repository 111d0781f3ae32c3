import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { smoothed, type Line } from './line.js'
import { figure } from '../parts/amounts.js'

export type Zoom = readonly [from: number, to: number]

export interface PlotOptions {
  /** Whether the values are on a logarithmic scale. Values of 0 and less have no place there. */
  log: boolean
  /** From 0 (none) to less than 1. */
  smoothing: number
  zoom: Zoom | undefined
}

interface PlotProps extends PlotOptions {
  /** What the plot shows, for screen readers. */
  label: string
  lines: readonly Line[]
  height: number
  /** The axis extends at least to this step. */
  end?: number | null | undefined
  /** Called with the step under the pointer. */
  onPoint: (step: number | null) => void
  /** Called with the steps that the user marked, or undefined after a double click. */
  onZoom: (zoom: Zoom | undefined) => void
}

/** A plot of lines over steps. The cursors of all plots move together. A drag zooms in. */
export function Plot(props: PlotProps): ComponentChildren {
  const { label, lines, height, log, smoothing, zoom, end } = props
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot>(undefined)
  const latest = useRef(props)
  latest.current = props
  const shape = lines.map(({ label: name, color: of }) => `${name} ${of}`).join('\n')

  useLayoutEffect(() => {
    const box = place.current!
    const chart = new uPlot(optionsFor(latest, box.clientWidth), [[]], box)
    plot.current = chart
    const resized = new ResizeObserver(() => {
      chart.setSize({ width: box.clientWidth, height })
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
  }, [shape, log, smoothing > 0, height])

  useLayoutEffect(
    () => plot.current!.setData(tableOf(lines, { log, smoothing })),
    [lines, shape, log, smoothing, height, zoom?.[0], zoom?.[1], end],
  )
  return (
    <div ref={place} class="plot" role="img" aria-label={label} style={{ height: `${height}px` }} />
  )
}

/** The columns of the plot. With smoothing, each line is there twice: as it is, and smoothed. */
function tableOf(
  lines: readonly Line[],
  { log, smoothing }: Pick<PlotOptions, 'log' | 'smoothing'>,
): uPlot.AlignedData {
  const tables = lines.map(({ xs, ys }): uPlot.AlignedData => {
    // A logarithm of 0 or less does not exist.
    const drawn = log ? ys.map((y) => (y !== null && y > 0 ? y : null)) : [...ys]
    return smoothing > 0 ? [[...xs], drawn, smoothed(drawn, smoothing)] : [[...xs], drawn]
  })
  return tables.length > 1 ? uPlot.join(tables) : (tables[0] ?? [[]])
}

type Latest = Readonly<{ current: PlotProps }>

function optionsFor(latest: Latest, width: number): uPlot.Options {
  const { lines, height, log, smoothing } = latest.current
  return {
    width,
    height,
    legend: { show: false },
    cursor: {
      sync: { key: 'steps' },
      y: false,
      drag: { x: true, y: false, setScale: false },
      bind: {
        dblclick: () => () => {
          latest.current.onZoom(undefined)
          return null
        },
      },
    },
    // The label of the last step is centered below it, and needs room.
    padding: [8, 28 * textScale(), 0, 0],
    scales: { x: { time: false, range: rangeOf(latest) }, y: log ? { distr: 3 } : {} },
    axes: axes(),
    series: [
      { label: 'step' },
      ...lines.flatMap((line) => seriesOf(line, lines.length, smoothing)),
    ],
    hooks: drawingStepsOf(latest),
  }
}

/** The steps of the axis. Without values, uPlot passes null. */
function rangeOf(latest: Latest) {
  return (_: uPlot, from: number | null, to: number | null): uPlot.Range.MinMax => {
    const { zoom, end } = latest.current
    if (zoom) return [zoom[0], Math.max(zoom[1], zoom[0] + 1)]
    return [from ?? 0, Math.max(to ?? 1, end ?? 0, (from ?? 0) + 1)]
  }
}

function axes(): uPlot.Axis[] {
  const unit = textScale()
  const axis: uPlot.Axis = {
    stroke: () => color('--faint'),
    grid: { stroke: () => color('--line'), width: 1 },
    ticks: { show: false },
    font: `${11 * unit}px ${getComputedStyle(document.body).fontFamily}`,
    // On a logarithmic scale, uPlot passes null for lines without a label.
    values: (_: uPlot, splits: readonly (number | null)[]) =>
      splits.map((each) => (each === null ? '' : figure(each))),
  }
  return [
    { ...axis, size: 24 * unit, space: 60 * unit, incrs: WHOLE },
    { ...axis, size: 60 * unit, space: 28 * unit },
  ]
}

/** A line, and the line that smooths it. */
function seriesOf(line: Line, count: number, smoothing: number): uPlot.Series[] {
  const drawn = {
    label: line.label,
    width: 1.5,
    points: { size: count > 1 ? 3 : 4 },
    stroke: () => color(line.color),
  }
  if (smoothing === 0) return [drawn]
  const smooth = { ...drawn, points: { show: false } }
  return [{ ...smooth, alpha: 0.25 }, smooth]
}

function drawingStepsOf(latest: Latest): uPlot.Hooks.Arrays {
  return {
    setCursor: [
      ({ cursor, data }) => {
        const at = cursor.idx
        latest.current.onPoint(at === null || at === undefined ? null : (data[0][at] ?? null))
      },
    ],
    setSelect: [
      (chart) => {
        const { left, width: marked } = chart.select
        if (marked < 4) return
        const from = Math.floor(chart.posToVal(left, 'x'))
        const to = Math.ceil(chart.posToVal(left + marked, 'x'))
        chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
        latest.current.onZoom([Math.max(0, from), to])
      },
    ],
    draw: [(chart) => drawNotFinite(chart, latest.current.lines)],
  }
}

/** Draws an × at the bottom where a line becomes NaN or infinite, and a bar while it stays so. */
function drawNotFinite(chart: uPlot, lines: readonly Line[]): void {
  const { ctx, bbox } = chart
  const unit = devicePixelRatio
  const right = bbox.left + bbox.width
  ctx.save()
  ctx.beginPath()
  ctx.rect(bbox.left - 6 * unit, bbox.top, bbox.width + 12 * unit, bbox.height)
  ctx.clip()
  for (const [position, line] of lines.entries()) {
    const y = bbox.top + bbox.height - (8 + (position % 8) * 9) * unit
    ctx.strokeStyle = color(lines.length === 1 ? '--bad' : line.color)
    ctx.fillStyle = ctx.strokeStyle
    ctx.lineWidth = 2 * unit
    let previous = -Infinity
    for (const { from, to } of line.notFinite) {
      const x = chart.valToPos(from, 'x', true)
      const end = chart.valToPos(to, 'x', true)
      if (end < bbox.left || x > right) continue
      ctx.globalAlpha = 0.12
      ctx.fillRect(x, bbox.top, Math.max(unit, end - x), bbox.height)
      ctx.globalAlpha = 1
      // Marks that would cover each other are one mark.
      if (x - previous < 6 * unit) continue
      previous = x
      const arm = 4 * unit
      ctx.beginPath()
      ctx.moveTo(x - arm, y - arm)
      ctx.lineTo(x + arm, y + arm)
      ctx.moveTo(x - arm, y + arm)
      ctx.lineTo(x + arm, y - arm)
      ctx.stroke()
    }
  }
  ctx.restore()
}

/** Steps are whole numbers. */
const WHOLE = [1, 2, 5]
  .flatMap((each) => [each, each * 10, each * 100, each * 1e3, each * 1e4, each * 1e5])
  .sort((a, b) => a - b)

/** The user's font size, in relation to the one that browsers start with. */
function textScale(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16
}

/** The value of a CSS variable. */
export function color(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim()
}
