import type { ComponentChildren } from 'preact'
import type { ListedRun as Run } from '../../emulator/control/schemas/runs.js'
import { call } from '../data/control.js'
import { useRunLines } from '../data/use-run-lines.js'
import { useRecords, type Listing } from '../kit/records.js'
import { column } from '../kit/value.js'
import { SdkAddress } from '../parts/sdk-address.js'
import { Spark } from '../kit/small-curve.js'
import { figure } from '../parts/amounts.js'
import { compareMetricNames } from '../parts/metrics.js'
import { projectOf } from '../parts/names.js'
import { hrefOf } from '../routes.js'

/** The most runs that are loaded, the newest ones. */
const MOST_RUNS = 1000
/** The most points of a small curve. */
const SMALL = 60

const STATES = ['running', 'finished', 'failed', 'other']

/** The runs that clients logged to. */
export const RUNS: Listing<Run> = {
  title: 'Runs',
  thing: 'run',
  useRows: () =>
    useRecords(
      async () => (await call('GET /runs', { query: { limit: MOST_RUNS } })).runs,
      ['request', 'note'],
    ),
  keyOf: ({ path }) => path,
  columns: [
    ['Run', 'w-grow', runName, { sort: ({ display_name }) => display_name }],
    column('state'),
    column('last_step', { wide: true }),
    ['Curve', 'w-curve', (run) => <SmallCurve of={run} />],
    column('metrics', { heading: 'Last metrics', look: 'w-event mono', wide: true }),
    ['Project', 'w-event', projectOf, { sort: true, wide: true }],
    column('created_at', { wide: true }),
  ],
  facets: [
    {
      name: 'state',
      label: 'State',
      values: STATES,
      answerOf: ({ state }) => (STATES.includes(state) ? state : 'other'),
    },
  ],
  most: MOST_RUNS,
  find: 'Name, project, group or tag',
  Empty: () => (
    <>
      <p>No runs yet. A run appears here when a program opens it with the SDK at this address:</p>
      <SdkAddress />
    </>
  ),
}

function runName({ path, name, display_name: shown }: Run): ComponentChildren {
  return (
    <>
      <a href={hrefOf({ page: 'run', id: path })}>{shown}</a>
      {name !== shown && <span class="faint"> {name}</span>}
    </>
  )
}

/** The first metric of a run: its last value, and how it came there. */
function SmallCurve({ of: run }: { of: Run }): ComponentChildren {
  const [metric] = Object.keys(run.metrics).sort(compareMetricNames)
  if (metric === undefined) return <span class="faint">–</span>
  return (
    <span class="small-curve">
      <span class="cut">
        <b class="number">{lastText(run.metrics[metric])}</b> {metric}
      </span>
      <RunSpark of={run} metric={metric} />
    </span>
  )
}

function RunSpark({ of: run, metric }: { of: Run; metric: string }): ComponentChildren {
  const { lines: [line] = [], error } = useRunLines(run, { metric, points: SMALL })
  if (error) return <span title={error.message}>not loaded</span>
  return line && <Spark of={line} />
}

/** Null stands for a value that is not finite: JSON has no number for it. */
function lastText(value: number | null | undefined): string {
  return typeof value === 'number' ? figure(value) : 'not finite'
}
