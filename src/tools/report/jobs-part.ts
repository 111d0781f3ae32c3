import { counted } from '../../base/text/counted.js'
import { jobState } from '../../emulator/control/job-state.js'
import { seriesOf } from '../../emulator/control/metric-series.js'
import type { Job, JobStatus } from '../../service/engine/jobs/job.js'
import { chart, metric, type Curve } from './chart.js'
import { markup, type Content } from './markup.js'
import { badge, foldable, latest, table, type Mood } from './page.js'
import type { ShownWorld } from './shown-world.js'

const MOST_JOBS = 100
/** How many jobs have curves, the latest ones, and how many metrics of each. */
const MOST_DRAWN = 10
const MOST_METRICS = 8
const MOST_POINTS = 300
const MOST_ROWS = 60

const MOODS: Readonly<Record<JobStatus, Mood>> = {
  queued: 'quiet',
  running: 'quiet',
  ended: 'good',
  failed: 'bad',
}

/** The jobs of a world, and the curves of the latest ones. */
export function jobsPart(shown: ShownWorld): Content {
  const all = [...shown.world.engine.store.jobs.values()]
  if (all.length === 0) return undefined
  const shownJobs = all.slice(-MOST_JOBS)
  const drawn = all.filter(({ progress }) => progress.gradientSteps > 0)
  const curves = drawn.slice(-MOST_DRAWN)
  return [
    latest(shownJobs.length, all.length, 'jobs'),
    table({
      label: `Jobs${shown.name === undefined ? '' : ` of ${shown.name}`}`,
      columns: [
        'Model',
        { name: 'Job', is: 'number' },
        { name: 'Kind', is: 'short' },
        { name: 'Status', is: 'short' },
        { name: 'Steps', is: 'number' },
        'Id, and why it failed',
      ],
      rows: shownJobs.map((job) => rowOf(job, shown)),
    }),
    latest(curves.length, drawn.length, 'jobs with steps have curves'),
    curves.map((job) => curvesOf(job, shown)),
  ]
}

function rowOf(job: Job, shown: ShownWorld): Content[] {
  const { model, ordinal, kind, status, stalled, step, steps, id, error_message } = jobState(
    job,
    shown.world.engine,
  )
  return [
    shown.text(model.name),
    ordinal,
    kind.toUpperCase(),
    badge(stalled ? 'stalled' : status, stalled ? 'warn' : MOODS[status]),
    `${step} of ${steps}`,
    error_message === null
      ? id
      : [id, markup`<br><span class="bad">${shown.text(error_message)}</span>`],
  ]
}

function curvesOf(job: Job, shown: ShownWorld): Content {
  const { steps, metrics, not_finite } = seriesOf(job, MOST_POINTS)
  const numbers = new Map(Object.entries(metrics))
  const gaps = new Map(Object.entries(not_finite))
  // Those with gaps first: what is wrong must not be left out.
  const names = [...new Set([...gaps.keys(), ...numbers.keys()])]
  const left = names.length - MOST_METRICS
  const label = `${shown.text(job.model.name)}, job ${job.ordinal}`
  const curves = names.slice(0, MOST_METRICS).map((name): Curve => {
    const values = numbers.get(name) ?? []
    return { name: shown.text(name), steps, values, gaps: gaps.get(name) ?? [] }
  })
  const constant = curves.filter(({ values, gaps: holes }) => {
    return holes.length === 0 && values.every((value) => value === values[0])
  })
  const same = constant.map(({ name, values: [value] }) => `${name} ${metric(value ?? Number.NaN)}`)
  const drawn = curves.filter((curve) => !constant.includes(curve))
  return markup`${shown.heading(`Curves of ${label}`)}
${same.length > 0 && markup`<p class="quiet">The same in every step: ${same.join(', ')}.</p>`}
<div class="two">${drawn.map((curve) => {
    return markup`<div><p class="quiet">${curve.name}</p>${chart(label, curve)}</div>`
  })}</div>
${foldable('As a table', valueTable({ curves, steps, job, shown }))}
${left > 0 && markup`<p class="quiet">${counted(left, 'other metric')} left out.</p>`}`
}

interface Values {
  readonly curves: readonly Curve[]
  readonly steps: readonly number[]
  readonly job: Job
  readonly shown: ShownWorld
}

function valueTable({ curves, steps, job, shown }: Values): Content {
  const every = Math.ceil(steps.length / MOST_ROWS)
  const rows = steps.flatMap((step, row) => {
    const isShown = row % every === 0 || row === steps.length - 1
    return isShown ? [[step, ...curves.map((curve) => valueAt(curve, { step, row }))]] : []
  })
  return [
    rows.length < steps.length &&
      markup`<p class="quiet">${rows.length} of ${job.progress.gradientSteps} steps.</p>`,
    table({
      label: `Values of ${shown.text(job.model.name)}, job ${job.ordinal}, ${job.id}`,
      columns: [
        { name: 'Step', is: 'number' },
        ...curves.map(({ name }) => ({ name, is: 'number' as const })),
      ],
      rows,
    }),
  ]
}

function valueAt({ values, gaps }: Curve, { step, row }: { step: number; row: number }): string {
  const value = values[row]
  if (typeof value === 'number') return metric(value)
  return gaps.find(({ from, to }) => from <= step && step <= to)?.value ?? ''
}
