import { createContext, type ComponentChildren } from 'preact'
import { useContext, useEffect, useMemo, useRef } from 'preact/hooks'
import type { ControlJob as Job } from '../../emulator/control/schemas/jobs.js'
import { useSeriesStore } from '../data/series-store.js'
import type { Line } from './line.js'
import { rangeOf } from './range.js'

/** How many points a small curve has. */
const POINTS = 40

interface SmallCurves {
  /** The curve of a metric, as far as it is loaded. */
  lineOf: (id: string, metric: string) => Line | undefined
  /** Loads the curves of a job until the function that this returns is called. */
  want: (job: Job) => () => void
}

const SmallCurvesContext = createContext<SmallCurves>({
  lineOf: () => undefined,
  want: () => () => {},
})

/** Loads the curves of the jobs for which a `JobCurve` is drawn, and of no others. */
export function JobCurves({ children }: { children: ComponentChildren }): ComponentChildren {
  const { store, version } = useSeriesStore()
  const drawn = useRef(new Map<string, Job>()).current
  const want = useMemo<SmallCurves['want']>(() => {
    return (job) => {
      drawn.set(job.id, job)
      store.follow([...drawn.values()], POINTS)
      return () => void drawn.delete(job.id)
    }
  }, [store])
  const curves = useMemo<SmallCurves>(() => {
    return { lineOf: (id, metric) => store.of(id)?.line(metric), want }
  }, [want, version])
  return <SmallCurvesContext.Provider value={curves}>{children}</SmallCurvesContext.Provider>
}

/** How a metric of a job came to its last value. */
export function JobCurve({ job, metric }: { job: Job; metric: string }): ComponentChildren {
  const { lineOf, want } = useContext(SmallCurvesContext)
  const hasSteps = job.step > 1
  useEffect(() => (hasSteps ? want(job) : undefined), [want, job, hasSteps])
  const line = lineOf(job.id, metric)
  return line?.ys.some((y) => y !== null) ? <Spark of={line} /> : null
}

const WIDTH = 100
const HEIGHT = 20

/** A small curve in a table. It is decoration: the cell says the last value. */
export function Spark({ of: { xs, ys } }: { of: Line }): ComponentChildren {
  const drawn = xs.flatMap((x, at) => ((ys[at] ?? null) === null ? [] : [[x, ys[at]!] as const]))
  const across = placing(drawn.map(([x]) => x))
  const up = placing(drawn.map(([, y]) => y))
  const points = drawn.map(([x, y]) => {
    const down = HEIGHT - 1 - up(y) * (HEIGHT - 2)
    return `${(across(x) * WIDTH).toFixed(1)},${down.toFixed(1)}`
  })
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <polyline points={points.join(' ')} />
    </svg>
  )
}

/** Returns where a value is between the least one and the greatest one, from 0 to 1. */
function placing(values: readonly number[]): (value: number) => number {
  const [least, most] = rangeOf(values)
  return (value) => (value - least) / (most - least || 1)
}
