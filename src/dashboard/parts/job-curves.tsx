import { createContext, type ComponentChildren } from 'preact'
import { useContext, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ControlJob as Job } from '../../emulator/control/schemas.js'
import { SeriesStore } from '../data/series-store.js'
import { useLive } from '../data/use-live.js'
import type { Line } from './line.js'
import { Spark } from './spark.js'

/** How many points a small curve has. */
const POINTS = 40

interface SmallCurves {
  /** The curve of a metric, as far as it is loaded. */
  lineOf: (id: string, metric: string) => Line | undefined
  /** Loads the curves of a job until the function that this returns is called. */
  want: (job: Job) => () => void
}

const Curves = createContext<SmallCurves>({ lineOf: () => undefined, want: () => () => {} })

/** Loads the curves of the jobs for which a `JobCurve` is drawn, and of no others. */
export function JobCurves({ children }: { children: ComponentChildren }): ComponentChildren {
  const epoch = useLive((live) => live.epoch)
  const [version, setVersion] = useState(0)
  const drawn = useRef(new Map<string, Job>()).current
  const store = useMemo(() => new SeriesStore(() => setVersion((before) => before + 1)), [epoch])
  useEffect(() => () => store.close(), [store])
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
  return <Curves.Provider value={curves}>{children}</Curves.Provider>
}

/** How a metric of a job came to its last value. */
export function JobCurve({ job, metric }: { job: Job; metric: string }): ComponentChildren {
  const { lineOf, want } = useContext(Curves)
  const hasSteps = job.step > 1
  useEffect(() => (hasSteps ? want(job) : undefined), [want, job, hasSteps])
  const line = lineOf(job.id, metric)
  return line?.ys.some((y) => y !== null) ? <Spark of={line} /> : null
}
