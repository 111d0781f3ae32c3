import type { ComponentChildren } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import type { ControlJob as Job } from '../../emulator/control/schemas/jobs.js'
import { useSeriesStore } from '../data/series-store.js'
import { useLive } from '../data/use-live.js'
import { Chart, useCurveOptions } from '../kit/charts.js'
import { Choices } from '../parts/choice.js'
import { Page } from '../parts/page.js'
import { colorOf, exactLines, FIRST_LINES, metricsOf, runsOf, type Run } from '../parts/runs.js'
import { Problem } from '../parts/use-action.js'
import { Snippets, trainSnippets } from '../parts/snippets.js'
import { useTextFilter } from '../kit/text-filter.js'
import { JobState } from '../parts/state.js'
import { counted, figure } from '../parts/amounts.js'
import { Name } from '../parts/facts.js'
import { useChoice, useQuery } from '../routes.js'

/** How many lines a chart has at most. */
const MOST_LINES = 24
/** How many runs the list shows. The search finds the others. */
const MOST_LISTED = 100
/** How many points all lines have together, and one of them at least. */
const POINTS = 12_000
const LEAST_POINTS = 200
const HEIGHT = 260
/** What can have a line. */
const KINDS = ['job', 'model'] as const

/** Curves of several jobs or models in one chart for each metric. */
export function CurvesPage(): ComponentChildren {
  const jobs = useLive((live) => live.jobs)
  if (jobs.size > 0) return <Comparison of={jobs} />
  return (
    <Page title="Curves">
      <div class="empty">
        <p>No jobs yet. Curves appear with the first gradient step of a job. Train a model:</p>
        <Snippets of={trainSnippets} />
      </div>
    </Page>
  )
}

function Comparison({ of: jobs }: { of: ReadonlyMap<string, Job> }): ComponentChildren {
  const [by, setBy] = useChoice('by', KINDS)
  const [picked, setPicked] = useQuery('runs')
  const options = useCurveOptions()
  const runs = useMemo(() => runsOf(jobs, by), [jobs, by])
  const first = runs.slice(0, FIRST_LINES).map(({ id }) => id)
  const ids = picked === '' ? first : picked.split(',').filter(Boolean)
  const chosen = runs.filter(({ id }) => ids.includes(id)).slice(0, MOST_LINES)
  const { store, version } = useSeries(chosen.flatMap((run) => run.jobs))
  const charts = useMemo(
    () => metricsOf(chosen, ({ id }) => store.of(id)),
    [store, version, picked, by, runs],
  )
  return (
    <Page title="Curves">
      <section class="actions line" aria-label="Options">
        <Choices
          label="One line for each"
          of={KINDS}
          chosen={by}
          choose={(next) => {
            setBy(next)
            setPicked('')
          }}
        >
          {(each) => `one line per ${each}`}
        </Choices>
        {options.fields}
      </section>
      <Problem of={store.error} />
      <div class="compare">
        <RunList
          of={runs}
          example={by === 'model' ? 'Model' : 'Model or job'}
          ids={ids}
          chosen={chosen}
          choose={(next) => setPicked(next.join(','))}
        />
        <div class="stack">
          {charts.length === 0 && (
            <p class="empty">{chosen.length === 0 ? 'Choose at least one line.' : NO_STEPS}</p>
          )}
          {charts.map((chart) => (
            <Chart
              key={chart.name}
              {...chart}
              options={options}
              height={HEIGHT}
              exact={() => exactLines(chart.name, chosen)}
            />
          ))}
        </div>
      </div>
    </Page>
  )
}

const NO_STEPS = 'No gradient steps yet. Curves appear with the first one.'

/** The address says so if the user chose no line. An empty value stands for the default. */
const NONE = 'none'

interface RunListProps {
  of: readonly Run[]
  /** What one can search for. */
  example: string
  /** The ids of the lines that the user chose. */
  ids: readonly string[]
  /** Those that have a line. */
  chosen: readonly Run[]
  choose: (ids: readonly string[]) => void
}

function RunList({ of: runs, example, ids, chosen, choose }: RunListProps): ComponentChildren {
  const { found, field } = useTextFilter(runs, example)
  const listed = found.slice(0, MOST_LISTED)
  const toggle = (id: string): void => {
    const next = ids.includes(id) ? ids.filter((each) => each !== id) : [...ids, id]
    choose(next.length === 0 ? [NONE] : next.filter((each) => each !== NONE))
  }
  return (
    <section class="runs stack" aria-label="Lines">
      {field}
      <ul>
        {listed.map(({ id, label, jobs }) => (
          <li key={id}>
            <label>
              <input
                type="checkbox"
                checked={ids.includes(id)}
                disabled={!ids.includes(id) && chosen.length >= MOST_LINES}
                onChange={() => toggle(id)}
              />
              <span
                class="swatch"
                style={{ background: `var(${colorOf(chosen, id) ?? '--line'})` }}
              />
              <Name of={label} />
            </label>
            {jobs.length === 1 ? (
              <JobState job={jobs[0]!} />
            ) : (
              <span class="faint">{counted(jobs.length, 'job')}</span>
            )}
          </li>
        ))}
      </ul>
      {found.length > listed.length && (
        <p class="faint">
          The latest {figure(listed.length)} of {figure(found.length)}. Search for others.
        </p>
      )}
    </section>
  )
}

/** The curves of these jobs, which are loaded again while the jobs run. */
function useSeries(jobs: readonly Job[]): ReturnType<typeof useSeriesStore> {
  const { store, version } = useSeriesStore()
  const points = Math.max(LEAST_POINTS, Math.floor(POINTS / Math.max(1, jobs.length)))
  const key = jobs.map(({ id, step }) => `${id} ${step}`).join(',')
  useEffect(() => {
    store.follow(jobs, Math.min(2000, points))
  }, [store, key, points])
  return { store, version }
}
