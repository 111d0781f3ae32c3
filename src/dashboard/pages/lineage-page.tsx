import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Lineage } from '../../emulator/control/schemas/lineage.js'
import { trajectoriesOf } from '../data/lineage.js'
import { MOST_LINEAGE_JOBS, useLineage } from '../data/use-lineage.js'
import { Choices } from '../parts/choice.js'
import { groupRows, GroupsTable } from '../parts/groups-table.js'
import { LineagePicture } from '../parts/lineage-picture.js'
import { linkTo } from '../parts/link.js'
import { Loaded, Page } from '../parts/page.js'
import { counted, figure } from '../parts/amounts.js'
import { Facts, Name } from '../parts/facts.js'
import { useChoice, useQuery } from '../routes.js'

const VIEWS = ['picture', 'table'] as const
const NAMES = { picture: 'Picture', table: 'Table' } as const

/** The way from chats over trajectories, groups and jobs to checkpoints. */
export function LineagePage(): ComponentChildren {
  const [job] = useQuery('job')
  const lineage = useLineage(job)
  return (
    <Page title="Lineage">
      <Loaded of={lineage} what="lineage">
        {(value) => <Shown of={value} />}
      </Loaded>
    </Page>
  )
}

function Shown({ of: { counts, jobs, unused } }: { of: Lineage }): ComponentChildren {
  const [job, setJob] = useQuery('job')
  const [view, setView] = useChoice('view', VIEWS)
  const rows = useMemo(() => groupRows(jobs), [jobs])
  const fields = (
    <>
      <Choices label="View" of={VIEWS} chosen={view} choose={setView}>
        {(each) => NAMES[each]}
      </Choices>
      {job !== '' && <button onClick={() => setJob('')}>Show all jobs</button>}
      <span class="faint">{sizesOf(jobs)}</span>
    </>
  )
  return (
    <>
      <Facts
        look="line facts"
        label="All samples"
        of={{
          Samples: figure(counts.samples),
          'Never trained on': figure(counts.unused),
          'Answers in jobs': figure(counts.trained),
          Unknown: counts.unknown === 0 ? '0' : <b class="bad">{figure(counts.unknown)}</b>,
        }}
      />
      {view === 'table' ? (
        <GroupsTable rows={rows} ofJobs empty={<Nothing />}>
          {fields}
        </GroupsTable>
      ) : (
        <>
          <div class="toolbar">{fields}</div>
          {jobs.length === 0 ? (
            <div class="empty">
              <Nothing />
            </div>
          ) : (
            <LineagePicture of={jobs} />
          )}
        </>
      )}
      <Unused of={unused} count={counts.unused} />
    </>
  )
}

/** `3 jobs, 200 trajectories` */
function sizesOf(jobs: Lineage['jobs']): string {
  const before = jobs.length === MOST_LINEAGE_JOBS ? 'The newest ' : ''
  const trajectories = jobs.flatMap(trajectoriesOf).length
  return `${before}${counted(jobs.length, 'job')}, ${counted(trajectories, 'trajectory', 'trajectories')}`
}

function Nothing(): ComponentChildren {
  return (
    <p>
      No job was submitted with trajectories yet. Chat with a model, and submit its answers in a
      job: the way from each chat to the next checkpoint appears here.
    </p>
  )
}

/** Samples that no job has used, the newest first. */
function Unused(props: { of: Lineage['unused']; count: number }): ComponentChildren {
  const { of: samples, count } = props
  if (samples.length === 0) return null
  return (
    <details>
      <summary>{counted(count, 'sample')} that no job has used</summary>
      <ul class="answers stack">
        {samples.map(({ completion, choice, model, step, text, request }) => (
          <li key={`${completion} ${choice}`}>
            <Name of={model} /> {step !== null && `step ${step}`}
            {request !== null && (
              <>
                , {linkTo({ page: 'request', id: String(request) }, `request ${figure(request)}`)}
              </>
            )}
            <p class="faint excerpt">{text}</p>
          </li>
        ))}
        {count > samples.length && <li class="faint">The newest {figure(samples.length)}.</li>}
      </ul>
    </details>
  )
}
