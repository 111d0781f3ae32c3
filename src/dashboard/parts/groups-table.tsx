import { Fragment, type ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import {
  answersOf,
  groupHref,
  hasEqualRewards,
  jobName,
  marksOf,
  rewardsText,
  rewardText,
  sourceOf,
  sourcesOf,
  sourceText,
  type LineageAnswer,
  type LineageGroup,
  type LineageJob,
  type LineageTrajectory,
  type Source,
} from '../data/lineage.js'
import { useLive } from '../data/use-live.js'
import { hrefOf } from '../routes.js'
import { focusOnce } from './focus-once.js'
import { linkTo } from './link.js'
import { LiveTable, type Column, type RowDetails } from '../kit/table.js'
import { counted, figure } from './amounts.js'
import { Name } from './facts.js'
import { shortId } from './names.js'

/** A group of a job. */
export interface GroupRow {
  job: LineageJob
  index: number
  group: LineageGroup
}

interface GroupsTableProps {
  /** Undefined: they load. */
  rows: readonly GroupRow[] | undefined
  /** Which rows are selected: see `LiveTable`. */
  view?: string
  /** Whether the rows are of several jobs. */
  ofJobs?: boolean
  /** The trajectory in the only group that the address names. */
  trajectory?: string
  empty: ComponentChildren
  error?: Error | undefined
  /** Shown above the table. */
  children?: ComponentChildren
}

/** The groups that jobs were trained on. An open row has its trajectories, with their answers. */
export function GroupsTable(props: GroupsTableProps): ComponentChildren {
  const { rows, ofJobs = false, trajectory, ...table } = props
  const details = useMemo(() => detailsOf(ofJobs, trajectory), [ofJobs, trajectory])
  return (
    <LiveTable
      label="Groups"
      columns={ofJobs ? COLUMNS_OF_JOBS : COLUMNS}
      rows={rows}
      keyOf={({ job, index }) => `${job.job} ${index}`}
      details={details}
      {...table}
    />
  )
}

const COLUMNS: readonly Column<GroupRow>[] = [
  ['Group', 'w-index', ({ index }) => figure(index), { sort: ({ index }) => index }],
  ['Answers from', 'w-grow', sourcesCell],
  ['Rewards', 'w-event', rewardsCell, { wide: true }],
  ['Trajectories', 'w-number', ({ group }) => figure(group.trajectories.length), { wide: true }],
  ['Remarks', 'w-event', remarksText, { wide: true }],
]

const COLUMNS_OF_JOBS: readonly Column<GroupRow>[] = [
  COLUMNS[0]!,
  ['Job', 'w-name', ({ job }) => <JobLink of={job} />],
  ...COLUMNS.slice(1),
]

function JobLink({ of: job }: { of: LineageJob }): ComponentChildren {
  const name = useLive(({ jobs }) => jobName(job, jobs.get(job.job)))
  return <a href={hrefOf({ page: 'job', id: job.job })}>{name}</a>
}

function sourcesCell({ job, group }: GroupRow): ComponentChildren {
  return <Sources of={sourcesOf(answersOf(group.trajectories), job)} />
}

/** Where answers are from, in the color of each distance. */
export function Sources({ of: sources }: { of: readonly Source[] }): ComponentChildren {
  if (sources.length === 0) return <span class="faint">no answers</span>
  return sources.map((source, at) => (
    <Fragment key={source.text}>
      {at > 0 && <span class="and">;</span>}{' '}
      <span class={`source ${source.distance}`}>{sourceText(source)}</span>
    </Fragment>
  ))
}

function rewardsCell({ group }: GroupRow): ComponentChildren {
  return (
    <>
      {rewardsText(group.trajectories)}
      {hasEqualRewards(group) && <span class="warn"> equal</span>}
    </>
  )
}

/** What is wrong with trajectories of a group: `2 × differs, 1 × twice`. */
function remarksText({ group: { trajectories } }: GroupRow): string {
  const marks = trajectories.flatMap(marksOf)
  return [...new Set(marks)]
    .map((mark) => `${figure(marks.filter((each) => each === mark).length)} × ${mark}`)
    .join(', ')
}

function detailsOf(ofJobs: boolean, trajectory: string | undefined): RowDetails<GroupRow> {
  return {
    idOf: ({ job, index }) => (ofJobs ? `group-${shortId(job.job)}-${index}` : `group-${index}`),
    show: ({ job, group }) => (
      <ol class="trajectories stack" start={0}>
        {group.trajectories.map((each, at) => (
          <Trajectory key={at} of={each} job={job} at={at} isNamed={String(at) === trajectory} />
        ))}
      </ol>
    ),
  }
}

interface TrajectoryProps {
  of: LineageTrajectory
  job: LineageJob
  at: number
  /** Whether the address names it. */
  isNamed: boolean
}

function Trajectory({ of: trajectory, job, at, isNamed }: TrajectoryProps): ComponentChildren {
  const { reward, answers, duplicate, failed } = trajectory
  return (
    <li {...(isNamed && { class: 'named', tabIndex: -1, ref: focusOnce })}>
      <p>
        <b>Trajectory {at}</b>, reward {rewardText(reward)}
        {failed !== null && <span class="bad">, {failed} failed</span>}
        {duplicate && (
          <>
            <span class="bad">, the same as </span>
            <a
              class="inline"
              href={groupHref(duplicate.job, duplicate.group, duplicate.trajectory)}
            >
              trajectory {duplicate.trajectory} of group {duplicate.group} of job{' '}
              {shortId(duplicate.job)}
            </a>
          </>
        )}
      </p>
      {answers.length === 0 && <p class="faint">It has no answers.</p>}
      <ul class="answers stack">
        {answers.map((answer, index) => (
          <Answer key={index} of={answer} job={job} />
        ))}
      </ul>
    </li>
  )
}

function Answer({ of: answer, job }: { of: LineageAnswer; job: LineageJob }): ComponentChildren {
  const { turn, changed, sample } = answer
  const { text, distance } = sourceOf(answer, job)
  const request = sample?.request ?? null
  return (
    <li>
      Turn {turn}: <span class={`source ${distance}`}>{text}</span>
      {sample && (distance === 'base' || distance === 'other') && (
        <>
          {' '}
          (<Name of={sample.model} />)
        </>
      )}
      {request !== null && (
        <>, {linkTo({ page: 'request', id: String(request) }, `request ${figure(request)}`)}</>
      )}
      {sample && `, ${counted(sample.tokens, 'token')}, ended with ${sample.finish}`}
      {changed !== null && <p class="bad">Differs: {changed}.</p>}
      {sample && <p class="faint excerpt">{sample.text}</p>}
    </li>
  )
}

/** The groups of jobs, the newest job first. */
export function groupRows(jobs: readonly LineageJob[]): GroupRow[] {
  return jobs
    .toReversed()
    .flatMap((job) => job.groups.map((group, index) => ({ job, index, group })))
}
