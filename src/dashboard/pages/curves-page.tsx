import type { ComponentChildren } from 'preact'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { ControlJob as Job } from '../../emulator/control/schemas.js'
import { call } from '../data/control.js'
import { useCurveOptions } from '../parts/curve-options.js'
import { Curves } from '../parts/curves.js'
import { pngOf, save } from '../parts/export.js'
import { csvOf, type Line } from '../parts/line.js'
import { Plot, type PlotOptions, type Zoom } from '../parts/plot.js'
import { hrefOf, useQuery } from '../routes.js'
import { SeriesStore } from '../data/series-store.js'
import { Snippets, trainSnippets } from '../parts/snippets.js'
import { Problem, useAction } from '../parts/use-action.js'
import { useLive } from '../data/use-live.js'
import { compareMetricNames, counted, figure, JobState, matching, Name } from '../parts/wording.js'

/** The colors of lines, as CSS variables. */
const COLORS = [1, 2, 3, 4, 5, 6, 7, 8].map((each) => `--line-${each}`)
/** How many lines a chart has at most, and how many are chosen at first. */
const MOST_LINES = 24
const FIRST_LINES = 5
/** How many runs the list shows. The search finds the others. */
const MOST_LISTED = 100
/** How many points all lines have together, and one of them at least. */
const POINTS = 12_000
const LEAST_POINTS = 200
/** How many steps an export can have: as many as the API gives. */
const MOST_EXPORTED = 100_000
const HEIGHT = 260

/** A line to choose: a job, or all jobs of a model one after the other. */
interface Run {
  id: string
  label: string
  /** In the order of their steps. */
  jobs: readonly Job[]
}

/** Curves of several jobs or models in one chart for each metric. */
export function CurvesPage(): ComponentChildren {
  const jobs = useLive((live) => live.jobs)
  const [by, setBy] = useQuery('by', 'job')
  const [picked, setPicked] = useQuery('runs')
  const [search, setSearch] = useQuery('search')
  const options = useCurveOptions()
  const runs = useMemo(() => (by === 'model' ? modelRuns(jobs) : jobRuns(jobs)), [jobs, by])
  const ids =
    picked === ''
      ? runs.slice(0, FIRST_LINES).map(({ id }) => id)
      : picked.split(',').filter(Boolean)
  const chosen = runs.filter(({ id }) => ids.includes(id)).slice(0, MOST_LINES)
  const { store, version } = useSeries(chosen.flatMap((run) => run.jobs))
  const charts = useMemo(() => chartsOf(chosen, store), [store, version, picked, by, runs])
  if (jobs.size === 0) {
    return (
      <>
        <h1 tabIndex={-1}>Curves</h1>
        <div class="empty">
          <p>No jobs yet. Curves appear with the first gradient step of a job. Train a model:</p>
          <Snippets of={trainSnippets} />
        </div>
      </>
    )
  }
  const listed = runs.filter(({ id, label }) => matching(search, label, id)).slice(0, MOST_LISTED)
  const toggle = (id: string): void => {
    const next = ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id]
    // An empty value stands for the default.
    setPicked(next.length === 0 ? NONE : next.filter((each) => each !== NONE).join(','))
  }
  return (
    <>
      <h1 tabIndex={-1}>Curves</h1>
      <section class="actions line" aria-label="Options">
        <div class="choices" role="group" aria-label="One line for each">
          {(['job', 'model'] as const).map((each) => (
            <button
              key={each}
              aria-pressed={each === by}
              onClick={() => {
                setBy(each)
                setPicked('')
              }}
            >
              one line per {each}
            </button>
          ))}
        </div>
        {options.fields}
      </section>
      <Problem of={store?.error} />
      <div class="compare">
        <section class="runs" aria-label="Lines">
          <input
            type="search"
            aria-label="Find a line"
            placeholder={by === 'model' ? 'Model' : 'Model or job'}
            value={search}
            onInput={({ currentTarget }) => setSearch(currentTarget.value)}
          />
          <ul>
            {listed.map((run) => (
              <li key={run.id}>
                <label>
                  <input
                    type="checkbox"
                    checked={ids.includes(run.id)}
                    disabled={!ids.includes(run.id) && chosen.length >= MOST_LINES}
                    onChange={() => toggle(run.id)}
                  />
                  <span
                    class="swatch"
                    style={{ background: `var(${colorOf(chosen, run.id) ?? '--line'})` }}
                  />
                  <Name of={run.label} />
                </label>
                {run.jobs.length === 1 ? (
                  <JobState job={run.jobs[0]!} />
                ) : (
                  <span class="faint">{counted(run.jobs.length, 'job')}</span>
                )}
              </li>
            ))}
          </ul>
          {runs.length > listed.length && search === '' && (
            <p class="faint">
              The latest {figure(listed.length)} of {figure(runs.length)}. Search for others.
            </p>
          )}
        </section>
        <div class="wide-charts">
          {charts.length === 0 && (
            <p class="empty">
              {chosen.length === 0
                ? 'Choose at least one line.'
                : 'No gradient steps yet. Curves appear with the first one.'}
            </p>
          )}
          {charts.map(({ name, lines }) => (
            <CompareChart
              key={name}
              name={name}
              lines={lines}
              chosen={chosen}
              options={options}
              onZoom={options.setZoom}
            />
          ))}
        </div>
      </div>
    </>
  )
}

/** The address says so if the user chose no line. */
const NONE = 'none'

interface CompareChartProps {
  name: string
  lines: readonly Line[]
  chosen: readonly Run[]
  options: PlotOptions
  onZoom: (zoom: Zoom | undefined) => void
}

/** One metric of all lines, with its values under the pointer. */
function CompareChart({
  name,
  lines,
  chosen,
  options,
  onZoom,
}: CompareChartProps): ComponentChildren {
  const [pointed, setPointed] = useState<number | null>(null)
  const { busy, run, problem } = useAction()
  const figureOf = useRef<HTMLElement>(null)
  const hidden = options.log
    ? lines.flatMap(({ ys }) => ys).filter((y) => y !== null && y <= 0).length
    : 0
  return (
    <figure class="chart" ref={figureOf}>
      <figcaption>
        <Name of={name} />
        {pointed !== null && <span class="faint number">step {figure(pointed)}</span>}
        <span class="line">
          <button
            class="plain"
            disabled={busy}
            onClick={() =>
              run(async () => {
                const all = await exactLines(name, chosen)
                save(`${name}.csv`, new Blob([csvOf(all)], { type: 'text/csv' }))
              })
            }
          >
            CSV<span class="hidden-label"> of {name}</span>
          </button>
          <button
            class="plain"
            disabled={busy}
            onClick={() =>
              run(async () => save(`${name}.png`, await pngOf(figureOf.current!, name, lines)))
            }
          >
            PNG<span class="hidden-label"> of {name}</span>
          </button>
        </span>
      </figcaption>
      <Problem of={problem} />
      <Plot
        {...options}
        label={`${name} of ${lines.map(describe).join('; ')}`}
        lines={lines}
        height={HEIGHT}
        onPoint={setPointed}
        onZoom={onZoom}
      />
      <ul class="legend">
        {lines.map((line) => (
          <li key={line.label}>
            <span class="swatch" style={{ background: `var(${line.color})` }} />
            <Name of={line.label} /> <LineValue of={line} step={pointed} />
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <p class="faint">{counted(hidden, 'value')} of 0 or less: not on a logarithmic scale.</p>
      )}
    </figure>
  )
}

function LineValue({ of, step }: { of: Line; step: number | null }): ComponentChildren {
  const value = step === null ? lastOf(of) : valueAt(of, step)
  if (value === null) return <span class="faint">–</span>
  return <b class={typeof value === 'string' ? 'number bad' : 'number'}>{figure(value)}</b>
}

function valueAt({ xs, ys, notFinite }: Line, step: number): number | string | null {
  const y = ys[xs.indexOf(step)] ?? null
  return y ?? notFinite.find(({ from, to }) => from <= step && step <= to)?.value ?? null
}

function lastOf({ xs, ys, notFinite }: Line): number | string | null {
  const at = ys.findLastIndex((y) => y !== null)
  const broken = notFinite.at(-1)
  if (broken && (at === -1 || broken.to >= xs[at]!)) return broken.value
  return ys[at] ?? null
}

function describe(line: Line): string {
  const last = lastOf(line)
  const [broken] = line.notFinite
  const since = broken ? `, ${broken.value} at step ${figure(broken.from)}` : ''
  return `${line.label}: ${last === null ? 'no value' : `last ${figure(last)}`}${since}`
}

/** The curves of these jobs, which are loaded again while the jobs run. */
function useSeries(jobs: readonly Job[]): { store: SeriesStore | undefined; version: number } {
  const epoch = useLive((live) => live.epoch)
  const [version, setVersion] = useState(0)
  const [store, setStore] = useState<SeriesStore>()
  useEffect(() => {
    const opened = new SeriesStore(() => setVersion((before) => before + 1))
    setStore(opened)
    return () => opened.close()
  }, [epoch])
  const points = Math.max(LEAST_POINTS, Math.floor(POINTS / Math.max(1, jobs.length)))
  const key = jobs.map(({ id, step }) => `${id} ${step}`).join(',')
  useEffect(() => {
    store?.follow(jobs, Math.min(2000, points))
  }, [store, key, points])
  return { store, version }
}

function jobRuns(jobs: ReadonlyMap<string, Job>): Run[] {
  return [...jobs.values()]
    .map((job) => ({ id: job.id, label: `${job.model.name} #${job.ordinal}`, jobs: [job] }))
    .reverse()
}

function modelRuns(jobs: ReadonlyMap<string, Job>): Run[] {
  const models = new Map<string, { label: string; jobs: Job[] }>()
  for (const job of jobs.values()) {
    const run = models.get(job.model.id) ?? { label: job.model.name, jobs: [] }
    run.jobs.push(job)
    models.set(job.model.id, run)
  }
  return [...models].map(([id, run]) => ({ id, ...run })).reverse()
}

function colorOf(chosen: readonly Run[], id: string): string | undefined {
  const at = chosen.findIndex((run) => run.id === id)
  return at === -1 ? undefined : COLORS[at % COLORS.length]
}

function chartsOf(
  chosen: readonly Run[],
  store: SeriesStore | undefined,
): { name: string; lines: Line[] }[] {
  const curvesOf = (job: Job): Curves | undefined => store?.of(job.id)
  const names = new Set(
    chosen.flatMap(({ jobs }) => jobs.flatMap((job) => curvesOf(job)?.names ?? [])),
  )
  return [...names].sort(compareMetricNames).map((name) => ({
    name,
    lines: chosen.map((run) => ({
      ...joined(name, run, curvesOf),
      color: colorOf(chosen, run.id)!,
    })),
  }))
}

/** The curves of a run's jobs, one after the other. */
function joined(
  name: string,
  { label, jobs }: Run,
  curvesOf: (job: Job) => Curves | undefined,
): Omit<Line, 'color'> {
  const xs: number[] = []
  const ys: (number | null)[] = []
  const notFinite: Line['notFinite'][number][] = []
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
async function exactLines(name: string, chosen: readonly Run[]): Promise<Line[]> {
  const loaded = new Map<string, Curves>()
  for (const { id } of chosen.flatMap(({ jobs }) => jobs)) {
    const of = { params: { job_id: id }, query: { points: MOST_EXPORTED } }
    loaded.set(id, new Curves(await call('GET /jobs/{job_id}/metrics', of)))
  }
  return chosen.map((run) => ({
    ...joined(name, run, ({ id }) => loaded.get(id)),
    color: colorOf(chosen, run.id)!,
  }))
}

/** The link to the curves of a job beside the others of its model. */
export function compareHref(job: Job, jobs: ReadonlyMap<string, Job>): string {
  const ofModel = [...jobs.values()].filter(({ model }) => model.id === job.model.id)
  const runs = new Set([job, ...ofModel.reverse().slice(0, FIRST_LINES)].map(({ id }) => id))
  return hrefOf({ page: 'curves' }, { runs: [...runs].join(',') })
}
