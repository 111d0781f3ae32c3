import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type {
  ConditionalTask,
  Schedule,
  ScheduledTask,
} from '../../emulator/control/schemas/schedule.js'
import { call } from '../data/control.js'
import { rowKeys } from '../data/row-keys.js'
import { useLive, useLiveStore } from '../data/use-live.js'
import { useLoaded } from '../data/use-loaded.js'
import { useReloadOnChange } from '../data/use-reload-on.js'
import { linkTo } from '../parts/link.js'
import { ActionButton } from '../parts/action-button.js'
import { AdvanceTo, useWhyNot } from '../parts/advance-to.js'
import type { Listing, RowsState } from '../kit/records.js'
import { counted, figure, lasting } from '../parts/amounts.js'
import { Moment } from '../parts/facts.js'
import { shortId } from '../parts/names.js'
import { hrefOf } from '../routes.js'

/** The most tasks that are loaded. */
const MOST = 1000
/** The minimum time between two loads, in milliseconds. */
const PACE = 500

/** A task with a key: the tasks of one moment may be alike. */
interface Row extends ScheduledTask {
  key: string
}

/** What is scheduled, and what comes with the next job, event or call. */
export const SCHEDULE: Listing<Row> = {
  title: 'What comes next',
  label: 'Scheduled',
  isCounted: true,
  thing: 'task',
  things: 'tasks',
  useRows,
  keyOf: ({ key }) => key,
  columns: [
    ['At', 'w-time', ({ at }) => <Moment at={at} />, { wide: true }],
    ['In', 'w-took', (task) => <Wait of={task} />],
    ['What', 'w-grow text', taskText],
    ['About', 'w-event', (task) => <About of={task} />, { wide: true }],
    ['Cause', 'w-short', causeLink, { wide: true }],
    ['Clock', 'w-advance', ({ at, text }) => <AdvanceTo at={at} label={text} />],
  ],
  find: 'Text, job or delivery',
  Above: Next,
  Empty: () => (
    <p>
      Nothing is scheduled. Events, retries and changes of the scenario appear here when a job
      starts.
    </p>
  ),
}

function useRows(): RowsState<Row> {
  const { value, error, reload } = useLoaded(() =>
    call('GET /schedule', { query: { limit: MOST } }),
  )
  useReloadOnChange(reload, PACE)
  const rows = useMemo(() => value && keyed(value.tasks), [value])
  // Under a clock that moves by itself, rows stay where they are while the user reads.
  const view = useWhyNot() === undefined ? `${rows?.[0]?.key} ${value?.total}` : ''
  return { value: rows, error, reload, view, below: value && <WithTheNext of={value} /> }
}

/** The next task in one sentence, and the button that runs it. */
function Next({ rows: tasks }: { rows: readonly Row[] }): ComponentChildren {
  const live = useLiveStore()
  const whyNot = useWhyNot()
  const [next] = tasks
  const same = tasks.filter(({ at }) => at === next?.at).length
  return (
    <section class="actions next-task" aria-label="Next">
      {next && (
        <p>
          Next,{' '}
          <b>
            <Wait of={next} />
          </b>
          : {next.text}
          {same > 1 && <span class="faint"> and {counted(same - 1, 'more task')} then</span>}
        </p>
      )}
      <div class="line">
        <ActionButton
          disabled={!next || whyNot !== undefined}
          title={whyNot}
          act={async () => live.setClock(await call('POST /clock/next'))}
        >
          Next
        </ActionButton>
        {whyNot !== undefined && (
          <>
            <span>{whyNot}</span>
            <ActionButton
              act={async () =>
                live.setClock(await call('POST /clock', { body: { mode: 'manual' } }))
              }
            >
              Pause the clock
            </ActionButton>
          </>
        )}
        {whyNot === undefined && next && (
          <span class="faint">
            Next runs one task. Advance to here also runs everything before it.
          </span>
        )}
      </div>
    </section>
  )
}

function keyed(tasks: readonly ScheduledTask[]): Row[] {
  const keys = rowKeys(tasks, ({ at, kind, job_id, delivery_id, text }) => {
    return `${at} ${kind} ${job_id} ${delivery_id} ${text}`
  })
  return tasks.map((task, at) => ({ ...task, key: keys[at]! }))
}

/** How long it takes until a task is due. */
function Wait({ of: { at } }: { of: ScheduledTask }): ComponentChildren {
  const wait = useLive(({ clock }) => Date.parse(at) - Date.parse(clock?.now ?? at))
  if (wait < 0) return 'passed'
  return wait === 0 ? 'now' : `in ${lasting(wait)}`
}

function taskText({ text, at }: Row): ComponentChildren {
  return (
    <>
      {text}
      <span class="only-narrow faint"> at {at.slice(11, 23)}</span>
    </>
  )
}

function causeLink({ cause }: Row): ComponentChildren {
  if (cause === null) return null
  return (
    <a href={hrefOf({ page: 'timeline' }, { open: `entry-${cause}` })}>entry {figure(cause)}</a>
  )
}

const KINDS: Readonly<Record<ScheduledTask['kind'], string>> = {
  job: 'a job',
  timeline: 'the scenario',
  checkpoint: 'a checkpoint',
  delivery: 'a delivery',
  response: 'a response',
  task: 'a task of your code',
}

function About({ of: { kind, job_id, delivery_id } }: { of: ScheduledTask }): ComponentChildren {
  if (delivery_id !== null) {
    return (
      <a href={hrefOf({ page: 'delivery', id: delivery_id })}>delivery {shortId(delivery_id)}</a>
    )
  }
  if (job_id !== null) {
    return <a href={hrefOf({ page: 'job', id: job_id })}>job {shortId(job_id)}</a>
  }
  return <span class="faint">{KINDS[kind]}</span>
}

const SOURCES: Readonly<Record<ConditionalTask['kind'], ComponentChildren>> = {
  job: linkTo({ page: 'scenario' }, 'jobs'),
  timeline: linkTo({ page: 'scenario' }, 'timeline'),
  fault: linkTo({ page: 'faults' }, 'faults'),
}

/** What has no time: it comes with the next job, event or call. */
function WithTheNext({ of: { tasks, total, conditional } }: { of: Schedule }): ComponentChildren {
  return (
    <>
      {total > tasks.length && (
        <p class="faint">
          The next {figure(MOST)} of {figure(total)}.
        </p>
      )}
      <section class="conditional stack" aria-label="With the next job, event or call">
        <h2>With the next job, event or call</h2>
        {conditional.length === 0 && (
          <p class="empty">
            The scenario has no rules for jobs, and no fault is open. Jobs train and end.
          </p>
        )}
        <dl>
          {conditional.map(({ kind, when, text, fault_id }, index) => (
            <div key={fault_id ?? index}>
              <dt>{when}</dt>
              <dd>
                {text} <span class="faint">({SOURCES[kind]})</span>
              </dd>
            </div>
          ))}
        </dl>
      </section>
    </>
  )
}
