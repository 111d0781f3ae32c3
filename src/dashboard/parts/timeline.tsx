import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { TimelineItem, TimelineState } from '../../emulator/control/schemas/timeline.js'
import { call } from '../data/control.js'
import { rowsOf, treeOf } from '../data/timeline-rows.js'
import { useLive } from '../data/use-live.js'
import { useLoaded } from '../data/use-loaded.js'
import { useReloadOnChange } from '../data/use-reload-on.js'
import { LiveTable } from '../kit/table.js'
import { useOpenIds } from '../routes.js'
import { counted } from './amounts.js'
import { axisOf, type Axis, type ZoomName } from './axis.js'
import { Loaded } from './page.js'
import { Nothing, SHOWS_ALL, useTimelineFilters } from './timeline-filters.js'
import { columnsOf, DETAILS, Legend, lookOf } from './timeline-row.js'

/** The most entries, and the most scheduled tasks, that are loaded. */
const MOST_LINES = 1000
/** The minimum time between two loads, in milliseconds. */
const PACE = 1000
interface TimelineProps {
  /** The id of a job. Empty: the whole world. */
  job: string
  heading?: ComponentChildren
  /** The most entries. */
  limit?: number
}

/** What happened and what is scheduled: causes above effects, on the axis of the emulator's clock. */
export function Timeline({ job, heading, limit = MOST_LINES }: TimelineProps): ComponentChildren {
  const loaded = useLoaded(() => {
    return call('GET /timeline', { query: { limit, ...(job !== '' && { job }) } })
  }, job)
  useReloadOnChange(loaded.reload, PACE)
  return (
    <Loaded of={loaded} what="timeline">
      {(timeline) => <Lines of={timeline} job={job} heading={heading} />}
    </Loaded>
  )
}

interface LinesProps extends TimelineProps {
  of: TimelineState
}

function Lines({ of: timeline, job, heading }: LinesProps): ComponentChildren {
  const { entries, left_out } = timeline
  const filters = useTimelineFilters(entries)
  const { zoom, kind, problemsOnly, newestFirst, fields } = filters
  const runs = useOpenIds('run-')
  const ticking = useLive(({ clock }) => clock?.now)
  const now = Math.max(Date.parse(timeline.now), Date.parse(ticking ?? timeline.now))
  const axis = useMemo(() => axisFor(timeline, zoom, now), [timeline, zoom, now])
  const tree = useMemo(() => treeOf(entries, job !== ''), [entries, job])
  const rows = useMemo(() => {
    return rowsOf(tree, {
      from: SHOWS_ALL.has(zoom) ? -Infinity : axis.from,
      to: SHOWS_ALL.has(zoom) ? Infinity : axis.to,
      kind,
      problemsOnly,
      newestFirst,
      isOpen: (key) => runs.includes(key),
    })
  }, [tree, zoom, axis, kind, problemsOnly, newestFirst, runs])
  const columns = useMemo(() => columnsOf(axis), [axis])
  return (
    <div class="timeline stack">
      <LiveTable
        label="Timeline"
        columns={columns}
        rows={rows}
        keyOf={({ key }) => key}
        details={DETAILS}
        lookOf={lookOf}
        view={`${zoom} ${kind} ${problemsOnly} ${newestFirst} ${runs.join()} ${job}`}
        empty={<Nothing of={timeline} filters={filters} />}
      >
        {heading}
        {fields}
      </LiveTable>
      <Legend />
      {left_out > 0 && (
        <p class="faint">
          {counted(left_out, 'entry is', 'entries are')} left out: old gradient steps first.
        </p>
      )}
    </div>
  )
}

function axisFor({ entries }: TimelineState, zoom: ZoomName, now: number): Axis {
  const past = entries.filter(({ scheduled }) => !scheduled)
  const tasks = entries.filter(({ scheduled }) => scheduled)
  const timeOf = (item: TimelineItem | undefined): number | undefined => item && Date.parse(item.at)
  return axisOf(zoom, {
    past: past.map(({ at }) => Date.parse(at)),
    now,
    next: timeOf(tasks[0]),
    end: timeOf(tasks.at(-1)),
  })
}
