import type { ComponentChildren } from 'preact'
import {
  answersOf,
  groupHref,
  hasEqualRewards,
  marksOf,
  rewardText,
  sourceOf,
  sourcesOf,
  sourcesText,
  type LineageAnswer,
  type LineageJob,
  type LineageTrajectory,
} from '../data/lineage.js'
import { rangeOf } from '../kit/range.js'
import { hrefOf, useOpen } from '../routes.js'
import { Sources, type GroupRow } from './groups-table.js'
import { counted, figure } from './amounts.js'
import { shortId } from './names.js'
import { Edge, LineageNode, Edges } from './lineage-nodes.js'

/** The most trajectories of a group. */
const MOST_TRAJECTORIES = 64

/** A group of a job, with its trajectories and their chats. */
export function GroupLane(props: GroupRow): ComponentChildren {
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
      <LineageNode
        look="group"
        label={`Group ${index}${isEqual ? ': equal rewards' : ''}`}
        href={groupHref(job.job, index)}
      >
        <span>group {index}</span>
        {isEqual && <span class="warn"> equal</span>}
      </LineageNode>
    </li>
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
    <LineageNode
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
    </LineageNode>
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
    <LineageNode look="cell" label={label} href={groupHref(job.job, index)}>
      <span>+{figure(count)}</span>
    </LineageNode>
  )
}

function Chat({ of: answer, job }: { of: LineageAnswer; job: LineageJob }): ComponentChildren {
  const { turn, sample, changed } = answer
  const { text, distance } = sourceOf(answer, job)
  const id = sample?.request ?? null
  const request = id === null ? '' : `request ${figure(id)}, `
  const href = id === null ? undefined : hrefOf({ page: 'request', id: String(id) })
  return (
    <LineageNode
      look="chat"
      label={`Turn ${turn}: ${request}${text}${changed ? `; ${changed}` : ''}`}
      href={href}
    >
      <span class={`source ${distance}`}>
        {id !== null && `${figure(id)}: `}
        {text}
      </span>
    </LineageNode>
  )
}
