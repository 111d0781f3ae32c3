import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ListedRun as Run } from '../../emulator/control/schemas.js'
import { call } from '../data/control.js'
import { compareLogged, runLines } from '../data/run-lines.js'
import { useLoaded } from '../data/use-loaded.js'
import { useReloadOn } from '../data/use-reload-on.js'
import { CountedChoices } from '../parts/choice.js'
import { CREATED, LiveTable, type Column } from '../parts/live-table.js'
import { Page } from '../parts/page.js'
import { RunState } from '../parts/run-state.js'
import { SdkAddress } from '../parts/sdk-address.js'
import { Spark } from '../parts/spark.js'
import { useTextFilter } from '../parts/text-filter.js'
import { figure, metricsLine, projectOf } from '../parts/wording.js'
import { useElsewhere } from '../parts/world-switcher.js'
import { hrefOf, useChoice } from '../routes.js'

/** The most runs that are loaded, the newest ones. */
const MOST_RUNS = 1000
/** The most points of a small curve. */
const SMALL = 60

const STATES = ['all', 'running', 'finished', 'failed', 'other'] as const
type Group = (typeof STATES)[number]

const COLUMNS: readonly Column<Run>[] = [
  ['Run', 'w-grow', nameOf, { sort: ({ display_name }) => display_name }],
  ['State', 'w-state', ({ state }) => <RunState of={state} />, { sort: ({ state }) => state }],
  [
    'Last step',
    'w-number',
    ({ last_step: step }) => figure(step ?? '–'),
    { sort: stepOf, wide: true },
  ],
  ['Curve', 'w-curve', (run) => <SmallCurve of={run} />],
  ['Last metrics', 'w-event mono clipped', ({ metrics }) => metricsLine(metrics), { wide: true }],
  ['Project', 'w-event', projectOf, { sort: true, wide: true }],
  CREATED,
]

function nameOf({ path, name, display_name: shown }: Run): ComponentChildren {
  return (
    <>
      <a href={hrefOf({ page: 'run', id: path })}>{shown}</a>
      {name !== shown && <span class="faint"> {name}</span>}
    </>
  )
}

function stepOf({ last_step }: Run): number | null {
  return last_step
}

/** The first metric of a run: its last value, and how it came there. */
function SmallCurve({ of: { path, rows, metrics } }: { of: Run }): ComponentChildren {
  const [metric] = Object.keys(metrics).sort(compareLogged)
  const [entity = '', project = '', run = ''] = path.split('/')
  const { value } = useLoaded(async () => {
    if (metric === undefined) return undefined
    const query = { metric, points: SMALL }
    return call('GET /runs/{entity}/{project}/{run}/history', {
      params: { entity, project, run },
      query,
    }).catch(() => undefined)
  }, `${path} ${rows} ${metric}`)
  const [line] = useMemo(() => runLines(value?.rows ?? []), [value])
  if (metric === undefined) return <span class="faint">–</span>
  return (
    <span class="small-curve">
      <span>
        <b class="number">{lastText(metrics[metric])}</b> {metric}
      </span>
      {line && <Spark of={line} />}
    </span>
  )
}

/** Null stands for a value that is not finite: JSON has no number for it. */
function lastText(value: number | null | undefined): string {
  return typeof value === 'number' ? figure(value) : 'not finite'
}

/** The runs that clients logged to. */
export function RunsPage(): ComponentChildren {
  const loaded = useLoaded(async () => {
    return (await call('GET /runs', { query: { limit: MOST_RUNS } })).runs
  })
  useReloadOn(['request', 'note'], loaded.reload)
  const runs = loaded.value ?? NO_RUNS
  const [group, setGroup] = useChoice('state', STATES)
  const { text, found, field } = useTextFilter(runs, {
    example: 'Name, project, group or tag',
    textsOf: ({ path, display_name, group: of, job_type, tags }) => [
      path,
      display_name,
      of,
      job_type,
      ...tags,
    ],
  })
  const rows = useMemo(
    () => found.filter(({ state }) => group === 'all' || groupOf(state) === group),
    [loaded.value, group, text],
  )
  return (
    <Page title="Runs" error={loaded.error}>
      <LiveTable
        label="Runs"
        columns={COLUMNS}
        rows={rows}
        keyOf={({ path }) => path}
        view={`${group} ${text}`}
        empty={<NoRuns of={loaded.value} />}
      >
        <CountedChoices
          label="State"
          of={STATES}
          chosen={group}
          choose={setGroup}
          count={(each) => countOf(found, each)}
        />
        {field}
      </LiveTable>
    </Page>
  )
}

const NO_RUNS: readonly Run[] = []

function groupOf(state: Run['state']): Group {
  return STATES.find((each) => each === state) ?? 'other'
}

function countOf(runs: readonly Run[], group: Group): number {
  return runs.filter(({ state }) => group === 'all' || groupOf(state) === group).length
}

function NoRuns({ of: runs }: { of: readonly Run[] | undefined }): ComponentChildren {
  const elsewhere = useElsewhere()
  if (!runs) return <p>Loading the runs…</p>
  if (runs.length > 0) return <p>No run matches. Clear the filter.</p>
  if (elsewhere !== undefined) return <p>No runs in this world. {elsewhere}</p>
  return (
    <>
      <p>No runs yet. A run appears here when a program opens it with the SDK at this address:</p>
      <SdkAddress />
    </>
  )
}
