import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { BodyOf } from '../../emulator/control/client/call.js'
import { call } from '../data/control.js'
import { useLiveStore } from '../data/use-live.js'
import { useLoaded } from '../data/use-loaded.js'
import { focusOnce } from '../parts/focus-once.js'
import { Field, jsonField, placed } from '../parts/field.js'
import { fieldText, Problem, useAction } from '../parts/use-action.js'
import { hrefOf, useQuery } from '../routes.js'

/** How a job can go. */
const COURSES = {
  scenario: 'as the scenario says',
  fail: 'fails at a step',
  nan: 'has a loss of NaN from a step on',
  stall: 'stalls at a step, until you resume it',
  own: 'as the timeline below says',
} as const
type Course = keyof typeof COURSES

/** What the form is about. An error names one of these fields. */
const FIELDS = ['model', 'groups', 'size', 'trajectories', 'trajectory_groups', 'step', 'timeline']

const NEW = 'new'
const MOST_TRAJECTORIES = 10_000

type JobBody = NonNullable<BodyOf<'POST /jobs'>>

/** Creates a job, and opens its page. */
export function NewJob({ close }: { close: () => void }): ComponentChildren {
  const live = useLiveStore()
  const { busy, run, problem } = useAction()
  const models = useLoaded(async () => (await call('GET /models')).models.toReversed())
  const [wanted] = useQuery('model')
  const [model, setModel] = useState(wanted || NEW)
  const [kind, setKind] = useState<'rl' | 'sft'>('rl')
  const [course, setCourse] = useState<Course>('scenario')
  const { fields, rest } = placed(problem, FIELDS)
  const create = (form: HTMLFormElement): void => {
    run(async () => {
      const job = await call('POST /jobs', { body: bodyOf(form, { model, kind, course }) })
      live.know([job])
      location.hash = hrefOf({ page: 'job', id: job.id })
    })
  }
  return (
    <form
      class="actions fields"
      aria-label="New job"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        create(event.currentTarget)
      }}
    >
      <Field label="Model" problem={model === NEW ? undefined : fields['model']}>
        {(attributes) => (
          <select
            {...attributes}
            ref={focusOnce}
            value={model}
            onChange={({ currentTarget }) => setModel(currentTarget.value)}
          >
            <option value={NEW}>a new model</option>
            {(models.value ?? []).map(({ id, entity, project, name }) => (
              <option key={id} value={id}>
                {entity}/{project}/{name}
              </option>
            ))}
          </select>
        )}
      </Field>
      {model === NEW && (
        <Field
          label="Name of the model"
          problem={fields['model']}
          hint="An existing model of that name is used."
        >
          {(attributes) => <input {...attributes} name="model" placeholder="demo-model" />}
        </Field>
      )}
      <Field label="Kind">
        {(attributes) => (
          <select
            {...attributes}
            value={kind}
            onChange={({ currentTarget }) => setKind(currentTarget.value as typeof kind)}
          >
            <option value="rl">RL: reinforcement learning</option>
            <option value="sft">SFT: supervised fine-tuning</option>
          </select>
        )}
      </Field>
      {kind === 'rl' ? <Groups problems={fields} /> : <Lines problems={fields} />}
      <Field label="How it goes" wide="twice">
        {(attributes) => (
          <select
            {...attributes}
            value={course}
            onChange={({ currentTarget }) => setCourse(currentTarget.value as Course)}
          >
            {Object.entries(COURSES).map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
        )}
      </Field>
      <CourseFields course={course} problems={fields} />
      <div class="line">
        <button disabled={busy}>Create job</button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
      <Problem of={rest ?? models.error} />
    </form>
  )
}

interface Problems {
  problems: Readonly<Record<string, string>>
}

function Groups({ problems }: Problems): ComponentChildren {
  return (
    <>
      <Field label="Trajectory groups" problem={problems['groups']}>
        {(attributes) => (
          <input {...attributes} type="number" name="groups" min={1} defaultValue="3" />
        )}
      </Field>
      <Field
        label="Trajectories in each"
        problem={problems['size']}
        hint="Every other one has the reward 1."
      >
        {(attributes) => (
          <input {...attributes} type="number" name="size" min={1} defaultValue="2" />
        )}
      </Field>
      <Field
        label="Or: trajectory_groups, as JSON"
        wide
        problem={problems['trajectory_groups']}
        hint="What a client sends. It replaces the two numbers."
      >
        {(attributes) => (
          <textarea
            {...attributes}
            name="trajectory_groups"
            class="mono"
            placeholder={'[{"trajectories": [{"reward": 1}, {"reward": 0.5}]}]'}
          />
        )}
      </Field>
    </>
  )
}

function Lines({ problems }: Problems): ComponentChildren {
  return (
    <Field label="Lines of training data" problem={problems['trajectories']}>
      {(attributes) => (
        <input {...attributes} type="number" name="trajectories" min={1} defaultValue="6" />
      )}
    </Field>
  )
}

const OWN_TIMELINE = `[
  {"event": "training_started", "after": "1s"},
  {"event": "gradient_step", "every": "1s", "count": 6},
  {"event": "training_ended", "after": "1s"}
]`

function CourseFields({ course, problems }: Problems & { course: Course }): ComponentChildren {
  if (course === 'scenario') return null
  if (course === 'own') {
    return (
      <Field
        label="timeline, as JSON"
        wide
        problem={problems['timeline']}
        hint="As the timeline of a job in a scenario."
      >
        {(attributes) => (
          <textarea
            {...attributes}
            name="timeline"
            class="mono timeline-text"
            defaultValue={OWN_TIMELINE}
          />
        )}
      </Field>
    )
  }
  return (
    <>
      <Field label="Step" problem={problems['step']}>
        {(attributes) => (
          <input {...attributes} type="number" name="step" min={1} defaultValue="3" />
        )}
      </Field>
      {course === 'fail' && (
        <Field label="Error message">
          {(attributes) => (
            <input {...attributes} name="error_message" placeholder="Training failed" />
          )}
        </Field>
      )}
    </>
  )
}

interface Choices {
  model: string
  kind: 'rl' | 'sft'
  course: Course
}

/** @throws {Error} When a field can't be read. The message begins with the name of the field. */
function bodyOf(form: HTMLFormElement, { model, kind, course }: Choices): JobBody {
  const idOrName = model === NEW ? fieldText(form, 'model') : model
  const named = { ...(idOrName !== '' && { model: idOrName }), kind }
  const timeline = timelineOf(form, course)
  const how = timeline && { timeline }
  if (kind === 'sft') {
    return { ...named, ...how, trajectories: countIn(form, 'trajectories', 1_000_000) }
  }
  const written = jsonField(fieldText(form, 'trajectory_groups'), 'trajectory_groups', 'list')
  const trajectory_groups = (written as unknown[] | undefined) ?? inventedGroups(form)
  return { ...named, ...how, trajectory_groups }
}

function inventedGroups(form: HTMLFormElement): object[] {
  const groups = countIn(form, 'groups', MOST_TRAJECTORIES)
  const size = countIn(form, 'size', Math.floor(MOST_TRAJECTORIES / groups))
  const trajectories = Array.from({ length: size }, (_, index) => ({ reward: 1 - (index % 2) }))
  return Array.from({ length: groups }, () => ({ trajectories }))
}

function countIn(form: HTMLFormElement, name: string, most: number): number {
  const text = fieldText(form, name)
  const count = Number(text)
  if (text !== '' && Number.isInteger(count) && count >= 1 && count <= most) return count
  throw new Error(`${name}: Enter a whole number from 1 to ${most.toLocaleString('en')}.`)
}

/** The timeline that the user chose. Without one, the scenario decides. */
function timelineOf(form: HTMLFormElement, course: Course): unknown[] | undefined {
  if (course === 'scenario') return undefined
  if (course === 'own') {
    const own = jsonField(fieldText(form, 'timeline'), 'timeline', 'list') as unknown[] | undefined
    if (own) return own
    throw new Error('timeline: Enter a list of events, or choose another way.')
  }
  const step = countIn(form, 'step', 1_000_000)
  const started = { event: 'training_started', after: '1s' }
  const ended = { event: 'training_ended', after: '1s' }
  const steps = { event: 'gradient_step', every: '1s' }
  if (course === 'fail') {
    const error_message = fieldText(form, 'error_message') || 'Training failed'
    const failed = { event: 'training_failed', after: '1s', error_message }
    return [started, { ...steps, count: step }, failed]
  }
  if (course === 'stall') {
    const rest = { ...steps, count: STEPS_AFTER }
    return [started, { ...steps, count: step }, { event: 'stall' }, rest, ended]
  }
  const at = Array.from({ length: STEPS_AFTER + 1 }, (_, index) => step + index)
  const spoil = [{ at, metric: 'loss', with: 'NaN' }]
  return [started, { ...steps, count: step + STEPS_AFTER, spoil }, ended]
}

/** How many steps follow the one at which the job stalls or goes wrong. */
const STEPS_AFTER = 3
