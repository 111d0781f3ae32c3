import type { ControlJob as Job } from '../../emulator/control/schemas/jobs.js'
import { call } from '../data/control.js'
import { grouped } from '../data/grouped.js'
import { hrefOf } from '../routes.js'
import { Curves } from '../kit/curves.js'
import { lastOf, type Line, type NotFinite } from '../kit/line.js'
import { figure } from './amounts.js'
import { jobTitle } from './names.js'
import { compareMetricNames } from './metrics.js'

/** The colors of lines, as CSS variables. */
const COLORS = [1, 2, 3, 4, 5, 6, 7, 8].map((each) => `--line-${each}`)
/** How many lines are chosen at first. */
export const FIRST_LINES = 5
/** How many steps an export can have: as many as the API gives. */
const MOST_EXPORTED = 100_000

/** A line to choose: a job, or all jobs of a model one after the other. */
export interface Run {
  id: string
  label: string
  /** In the order of their steps. */
  jobs: readonly Job[]
}

/** The runs, the latest first. */
export function runsOf(jobs: ReadonlyMap<string, Job>, by: 'job' | 'model'): Run[] {
  return by === 'model' ? modelRuns(jobs) : jobRuns(jobs)
}

function jobRuns(jobs: ReadonlyMap<string, Job>): Run[] {
  return [...jobs.values()]
    .map((job) => ({ id: job.id, label: jobTitle(job), jobs: [job] }))
    .reverse()
}

function modelRuns(jobs: ReadonlyMap<string, Job>): Run[] {
  const models = grouped([...jobs.values()], ({ model }) => model.id)
  return [...models].map(([id, of]) => ({ id, label: of[0]!.model.name, jobs: of })).reverse()
}

export function colorOf(chosen: readonly Run[], id: string): string | undefined {
  const at = chosen.findIndex((run) => run.id === id)
  return at === -1 ? undefined : COLORS[at % COLORS.length]
}

/** One metric of several runs. */
interface MetricLines {
  name: string
  /** What the lines show, for screen readers. */
  label: string
  lines: readonly Line[]
}

type CurvesOf = (job: Job) => Curves | undefined

/** Each metric of the runs, with one line for each run. */
export function metricsOf(chosen: readonly Run[], curvesOf: CurvesOf): MetricLines[] {
  const names = new Set(
    chosen.flatMap(({ jobs }) => jobs.flatMap((job) => curvesOf(job)?.names ?? [])),
  )
  return [...names].sort(compareMetricNames).map((name) => {
    const lines = linesOf(name, chosen, curvesOf)
    return { name, label: `${name} of ${lines.map(describe).join('; ')}`, lines }
  })
}

function describe(line: Line): string {
  const last = lastOf(line)
  const [broken] = line.notFinite
  const since = broken ? `, ${broken.value} at step ${figure(broken.from)}` : ''
  return `${line.label}: ${last === null ? 'no value' : `last ${figure(last)}`}${since}`
}

function linesOf(name: string, chosen: readonly Run[], curvesOf: CurvesOf): Line[] {
  return chosen.map((run) => ({
    ...joined(name, run, curvesOf),
    color: colorOf(chosen, run.id)!,
  }))
}

/** The curves of a run's jobs, one after the other. */
function joined(name: string, { label, jobs }: Run, curvesOf: CurvesOf): Omit<Line, 'color'> {
  const xs: number[] = []
  const ys: (number | null)[] = []
  const notFinite: NotFinite[] = []
  let before = 0
  for (const job of jobs) {
    const curves = curvesOf(job)
    const column = curves?.column(name) ?? []
    for (const [at, step] of (curves?.steps ?? []).entries()) {
      xs.push(before + step)
      ys.push(column[at] ?? null)
    }
    for (const { value, from, to } of curves?.notFinite(name) ?? []) {
      notFinite.push({ value, from: before + from, to: before + to })
    }
    before += Math.max(job.step, curves?.last ?? 0)
  }
  return { label, xs, ys, notFinite }
}

/** Loads all steps of these runs, for an export. */
export async function exactLines(name: string, chosen: readonly Run[]): Promise<Line[]> {
  const loaded = new Map<string, Curves>()
  for (const { id } of chosen.flatMap(({ jobs }) => jobs)) {
    const sent = { params: { job_id: id }, query: { points: MOST_EXPORTED } }
    loaded.set(id, new Curves(await call('GET /jobs/{job_id}/metrics', sent)))
  }
  return linesOf(name, chosen, ({ id }) => loaded.get(id))
}

/** The link to the curves of a job beside the others of its model. */
export function compareHref(job: Job, jobs: ReadonlyMap<string, Job>): string {
  const ofModel = [...jobs.values()].filter(({ model }) => model.id === job.model.id)
  const runs = new Set([job, ...ofModel.reverse().slice(0, FIRST_LINES)].map(({ id }) => id))
  return hrefOf({ page: 'curves' }, { runs: [...runs].join(',') })
}
