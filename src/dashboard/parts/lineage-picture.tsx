import type { ComponentChildren } from 'preact'
import {
  answersOf,
  distancesOf,
  jobName,
  sourcesOf,
  sourcesText,
  trajectoriesOf,
  type Distance,
  type LineageJob,
} from '../data/lineage.js'
import { useLive } from '../data/use-live.js'
import { hrefOf, useOpen } from '../routes.js'
import { moveByArrows } from './arrow-keys.js'
import { Sources } from './groups-table.js'
import { counted, figure } from './amounts.js'
import { Name } from './facts.js'
import { shortId } from './names.js'
import { Edge, Arrow, LineageNode, Edges } from './lineage-nodes.js'
import { GroupLane } from './lineage-lane.js'

/** The newest jobs are open while they have no more trajectories than this. */
const MOST_OPEN = 400

/** The most groups of a job. */
const MOST_GROUPS = 100

const COLUMNS = ['Chats', 'Trajectories, with rewards', 'Groups', 'Jobs', 'Checkpoints']

/**
 * The way from chats to checkpoints as a picture: chats, trajectories, groups, jobs and checkpoints from left
 * to right, and the newest job first. Nodes open pages. Jobs and groups unfold.
 */
export function LineagePicture({ of: jobs }: { of: readonly LineageJob[] }): ComponentChildren {
  const open = openAtFirst(jobs)
  return (
    <section class="lineage" aria-label="Picture of the lineage" onKeyDown={moveByArrows}>
      <Legend of={jobs} />
      <div class="flow headings" aria-hidden="true">
        {COLUMNS.map((name) => (
          <span key={name}>{name}</span>
        ))}
      </div>
      {jobs.toReversed().map((job) => (
        <Flow key={job.job} of={job} isOpenAtFirst={open.has(job)} />
      ))}
    </section>
  )
}

/** The newest jobs that are small enough to be open. */
function openAtFirst(jobs: readonly LineageJob[]): ReadonlySet<LineageJob> {
  let count = 0
  return new Set(
    jobs.toReversed().filter((job, at) => {
      count += trajectoriesOf(job).length
      return at === 0 || count <= MOST_OPEN
    }),
  )
}

const MEANINGS: Readonly<Record<Distance, string>> = {
  newest: 'newest checkpoint',
  behind: '1 step behind',
  far: 'more steps behind',
  other: 'another model',
  base: 'base model',
  unknown: 'no chat gave it',
}

/** What the lines mean, and how many answers each of them stands for. */
function Legend({ of: jobs }: { of: readonly LineageJob[] }): ComponentChildren {
  return (
    <ul class="legend" aria-label="Answers">
      {distancesOf(jobs).map(([distance, count]) => (
        <li key={distance}>
          <Edge of={distance} /> {MEANINGS[distance]} <b class="number">{figure(count)}</b>
        </li>
      ))}
    </ul>
  )
}

interface FlowProps {
  of: LineageJob
  isOpenAtFirst: boolean
}

/** The way to the checkpoint of one job. */
function Flow({ of: job, isOpenAtFirst }: FlowProps): ComponentChildren {
  const [isOpen, toggle] = useOpen(`job-${shortId(job.job)}`, isOpenAtFirst)
  const name = useLive(({ jobs }) => jobName(job, jobs.get(job.job)))
  const { groups } = job
  const trajectories = counted(trajectoriesOf(job).length, 'trajectory', 'trajectories')
  const shown = isOpen ? groups.slice(0, MOST_GROUPS) : []
  return (
    <div class="flow">
      <h2>
        <button class="plain" aria-expanded={isOpen} onClick={toggle}>
          {isOpen ? '▾' : '▸'} <Name of={name} /> ({counted(groups.length, 'group')}, {trajectories}
          )
        </button>
      </h2>
      <ol class="lanes">
        {shown.map((group, index) => (
          <GroupLane key={index} job={job} index={index} group={group} />
        ))}
        {shown.length < Math.max(1, groups.length) && <Bundle job={job} from={shown.length} />}
      </ol>
      <End of={job} name={name} />
    </div>
  )
}

/** The job and its checkpoint, where the lines of the groups come together. */
function End({ of: job, name }: { of: LineageJob; name: string }): ComponentChildren {
  const model = useLive(({ jobs }) => jobs.get(job.job)?.model.id)
  const { status, step, latest } = job
  const missing = status === 'failed' || status === 'ended' ? 'none' : 'not yet'
  const text = step === null ? missing : `step ${step}`
  const query = model === undefined ? {} : { open: `model-${model}` }
  return (
    <div class="end">
      <Arrow />
      <LineageNode
        look="job"
        label={`Job ${name}, ${status}, from step ${latest}`}
        href={hrefOf({ page: 'job', id: job.job })}
      >
        <b>{name}</b>
        <span> {status}</span>
        <span> from step {latest}</span>
      </LineageNode>
      <Arrow />
      <LineageNode
        look="checkpoint"
        label={`Checkpoint: ${text}, of ${name}`}
        href={step === null ? undefined : hrefOf({ page: 'models' }, query)}
      >
        <span>checkpoint</span>
        <b> {text}</b>
      </LineageNode>
    </div>
  )
}

/** The groups of a job from a number on, drawn as one. */
function Bundle({ job, from }: { job: LineageJob; from: number }): ComponentChildren {
  const groups = job.groups.slice(from)
  const trajectories = trajectoriesOf({ groups })
  const sources = sourcesOf(answersOf(trajectories), job)
  const text = counted(groups.length, from > 0 ? 'more group' : 'group')
  const size = counted(trajectories.length, 'trajectory', 'trajectories')
  const href = hrefOf({ page: 'job', id: job.job })
  return (
    <li class="lane">
      <LineageNode look="chats" label={`Chats: ${sourcesText(sources)}`}>
        <Sources of={sources} />
      </LineageNode>
      <Edges of={sources} />
      <LineageNode look="trajectory" label={size} href={href}>
        <span>{size}</span>
      </LineageNode>
      <Edge />
      <LineageNode look="group" label={text} href={href}>
        <span>{text}</span>
      </LineageNode>
    </li>
  )
}
