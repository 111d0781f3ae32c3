import type { ComponentChildren } from 'preact'
import {
  answersOf,
  distancesOf,
  groupHref,
  hasEqualRewards,
  jobName,
  marksOf,
  rewardText,
  sourceOf,
  sourcesOf,
  sourcesText,
  trajectoriesOf,
  type Distance,
  type LineageAnswer,
  type LineageJob,
  type LineageTrajectory,
  type Source,
} from '../data/lineage.js'
import { useLive } from '../data/use-live.js'
import { rangeOf } from '../kit/range.js'
import { hrefOf, useOpen } from '../routes.js'
import { moveByArrows } from './arrow-keys.js'
import { Sources, type GroupRow } from './groups-table.js'
import { counted, figure } from './amounts.js'
import { Name } from './facts.js'
import { shortId } from './names.js'

/** The newest jobs are open while they have no more trajectories than this. */
const MOST_OPEN = 400
/** The most groups of a job, and the most trajectories of a group. */
const MOST_GROUPS = 100
const MOST_TRAJECTORIES = 64

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

function Edge({ of }: { of?: Distance }): ComponentChildren {
  return (
    <svg class={`edge ${of ?? ''}`} aria-hidden="true">
      <line y1="50%" x2="100%" y2="50%" />
    </svg>
  )
}

function Arrow(): ComponentChildren {
  return (
    <svg class="arrow" viewBox="0 0 20 24" aria-hidden="true">
      <path d="M0 12H19m-5-4l5 4l-5 4" />
    </svg>
  )
}

/** Each line of a node but the first one begins with a space, so that lines are words in its text, too. */
interface NodeProps {
  /** The CSS classes of the node, besides `node`. */
  look: string
  /** What a screen reader says, and the title. */
  label: string
  /** The page that the node opens. A node without a page is plain text. */
  href?: string | undefined
  /** Whether the key Tab passes by, because the arrow keys reach the node from its neighbor. */
  isPassed?: boolean
  children: ComponentChildren
}

function Node({ look, label, href, isPassed, children }: NodeProps): ComponentChildren {
  const attributes = { class: `node ${look}`, title: label }
  if (href === undefined) return <div {...attributes}>{children}</div>
  return (
    <a {...attributes} href={href} aria-label={label} tabIndex={isPassed ? -1 : undefined}>
      {children}
    </a>
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
      <Node
        look="job"
        label={`Job ${name}, ${status}, from step ${latest}`}
        href={hrefOf({ page: 'job', id: job.job })}
      >
        <b>{name}</b>
        <span> {status}</span>
        <span> from step {latest}</span>
      </Node>
      <Arrow />
      <Node
        look="checkpoint"
        label={`Checkpoint: ${text}, of ${name}`}
        href={step === null ? undefined : hrefOf({ page: 'models' }, query)}
      >
        <span>checkpoint</span>
        <b> {text}</b>
      </Node>
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
      <Node look="chats" label={`Chats: ${sourcesText(sources)}`}>
        <Sources of={sources} />
      </Node>
      <Edges of={sources} />
      <Node look="trajectory" label={size} href={href}>
        <span>{size}</span>
      </Node>
      <Edge />
      <Node look="group" label={text} href={href}>
        <span>{text}</span>
      </Node>
    </li>
  )
}

function GroupLane(props: GroupRow): ComponentChildren {
  const { job, index, group } = props
  const [isOpen, toggle] = useOpen(`group-${shortId(job.job)}-${index}`)
  const sources = sourcesOf(answersOf(group.trajectories), job)
  const isEqual = hasEqualRewards(group)
  const label = `Chats of group ${index}: ${sourcesText(sources)}`
  return (
    <li class="lane">
      <button
        class={`node ${isOpen ? 'fold' : 'chats'}`}
        title={label}
        aria-label={label}
        aria-expanded={isOpen}
        onClick={toggle}
      >
        {isOpen ? '▾' : <Sources of={sources} />}
      </button>
      {isOpen ? (
        <Rows {...props} />
      ) : (
        <>
          <Edges of={sources} />
          <Cells {...props} />
          <Edge />
        </>
      )}
      <Node
        look="group"
        label={`Group ${index}${isEqual ? ': equal rewards' : ''}`}
        href={groupHref(job.job, index)}
      >
        <span>group {index}</span>
        {isEqual && <span class="warn"> equal</span>}
      </Node>
    </li>
  )
}

/** The lines from chats to their trajectories. */
function Edges({ of: sources }: { of: readonly Source[] }): ComponentChildren {
  return (
    <div class="edges">
      {sources.map(({ distance }, at) => (
        <Edge key={at} of={distance} />
      ))}
    </div>
  )
}

/** The trajectories of a group as cells with their rewards. */
function Cells(props: GroupRow): ComponentChildren {
  return (
    <div class="cells">
      {props.group.trajectories.slice(0, MOST_TRAJECTORIES).map((each, at) => (
        <Trajectory key={at} look="cell" {...props} of={each} at={at} />
      ))}
      <More {...props} />
    </div>
  )
}

/** The trajectories of an open group below each other, each with its chats. */
function Rows(props: GroupRow): ComponentChildren {
  const { job, group } = props
  return (
    <ol class="lanes">
      {group.trajectories.slice(0, MOST_TRAJECTORIES).map((each, at) => (
        <li key={at} class="lane">
          <div class="chats">
            {each.answers.map((answer, place) => (
              <Chat key={place} of={answer} job={job} />
            ))}
          </div>
          <Edges of={each.answers.map((answer) => sourceOf(answer, job))} />
          <Trajectory look="trajectory" {...props} of={each} at={at} />
          <Edge />
        </li>
      ))}
      {group.trajectories.length > MOST_TRAJECTORIES && (
        <li class="lane">
          <More {...props} />
        </li>
      )}
    </ol>
  )
}

interface TrajectoryProps extends GroupRow {
  look: 'cell' | 'trajectory'
  of: LineageTrajectory
  at: number
}

function Trajectory({ look, of, at, job, index }: TrajectoryProps): ComponentChildren {
  const sources = sourcesOf(of.answers, job)
  const marks = marksOf(of)
  const reward = rewardText(of.reward)
  const { distance } = sources.at(-1) ?? { distance: 'newest' }
  const lag = distance === 'newest' ? [] : [lagText(of) ?? distance]
  const words = [`Trajectory ${at}: reward ${reward}`, ...lag, ...marks, sourcesText(sources)]
  return (
    <Node
      look={look}
      label={words.join('; ')}
      href={groupHref(job.job, index, at)}
      isPassed={look === 'cell' && at > 0}
    >
      <span>{look === 'cell' ? reward : `${at}: reward ${reward}`}</span>
      {lag.map((text) => (
        <span key={text} class={`source ${distance}`}>
          {' '}
          {text}
        </span>
      ))}
      {marks.map((mark) => (
        <span key={mark} class="bad">
          {' '}
          {mark}
        </span>
      ))}
    </Node>
  )
}

/** How far behind the answers of a trajectory are: `lag 1`, or `lag 0–2`. Undefined if that is not the question. */
function lagText({ answers }: LineageTrajectory): string | undefined {
  const lags = answers.flatMap(({ lag }) => lag ?? [])
  if (lags.length < answers.length) return undefined
  const [least, most] = rangeOf(lags)
  return `lag ${least === most ? '' : `${least}–`}${most}`
}

/** The trajectories that are not shown. */
function More({ job, index, group }: GroupRow): ComponentChildren {
  const count = group.trajectories.length - MOST_TRAJECTORIES
  if (count <= 0) return null
  const label = counted(count, 'more trajectory', 'more trajectories')
  return (
    <Node look="cell" label={label} href={groupHref(job.job, index)}>
      <span>+{figure(count)}</span>
    </Node>
  )
}

function Chat({ of: answer, job }: { of: LineageAnswer; job: LineageJob }): ComponentChildren {
  const { turn, sample, changed } = answer
  const { text, distance } = sourceOf(answer, job)
  const id = sample?.request ?? null
  const request = id === null ? '' : `request ${figure(id)}, `
  const href = id === null ? undefined : hrefOf({ page: 'request', id: String(id) })
  return (
    <Node
      look="chat"
      label={`Turn ${turn}: ${request}${text}${changed ? `; ${changed}` : ''}`}
      href={href}
    >
      <span class={`source ${distance}`}>
        {id !== null && `${figure(id)}: `}
        {text}
      </span>
    </Node>
  )
}
