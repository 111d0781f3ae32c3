import type { ComponentChildren } from 'preact'
import type { BodyOf } from '../../emulator/control/client/call.js'
import { call } from '../data/control.js'
import type { JsonSchema } from '../kit/json-schema.js'
import { useLiveStore } from '../data/use-live.js'
import { useLoaded } from '../data/use-loaded.js'
import { Form } from '../kit/form.js'
import { FieldError, type FormField, type Values } from '../kit/fields.js'
import { fullName } from '../parts/wording.js'
import { hrefOf, useQuery } from '../routes.js'

/** How a job can go. */
const COURSES = {
  scenario: 'as the scenario says',
  fail: 'fails at a step',
  nan: 'has a loss of NaN from a step on',
  stall: 'stalls at a step, until you resume it',
  own: 'as the timeline below says',
}
const KINDS = { rl: 'RL: reinforcement learning', sft: 'SFT: supervised fine-tuning' }

const NEW = 'new'
const MOST_TRAJECTORIES = 10_000

type JobBody = NonNullable<BodyOf<'POST /jobs'>>

/** The job as the form asks for it: in numbers and words. `bodyOf` makes the job of the control API. */
interface JobValues {
  model: { id: string; name?: string }
  kind: keyof typeof KINDS
  course: keyof typeof COURSES
  groups?: number
  size?: number
  trajectory_groups?: unknown[]
  trajectories?: number
  step?: number
  error_message?: string
  timeline?: unknown[]
}

const COUNT: JsonSchema = { type: 'integer', minimum: 1 }

function schemaOf(models: Readonly<Record<string, string>>): JsonSchema {
  const model = { id: choiceOf({ [NEW]: 'a new model', ...models }), name: { type: 'string' } }
  return {
    required: ['kind', 'course'],
    properties: {
      model: { properties: model, required: ['id'] },
      kind: choiceOf(KINDS),
      groups: COUNT,
      size: COUNT,
      trajectory_groups: { type: 'array' },
      trajectories: COUNT,
      course: choiceOf(COURSES),
      step: COUNT,
      error_message: { type: 'string' },
      timeline: { type: 'array' },
    },
  }
}

function choiceOf(texts: Readonly<Record<string, string>>): JsonSchema {
  return { type: 'string', enum: Object.keys(texts), enumNames: Object.values(texts) }
}

interface JobField extends FormField {
  /** When the form has the field. Default: always. */
  if?: (values: Values) => boolean
}

const hasGroups = ({ kind }: Values): boolean => kind === 'rl'

const FIELDS: readonly JobField[] = [
  { place: 'model.id', label: 'Model', focus: true },
  {
    place: 'model.name',
    label: 'Name of the model',
    hint: 'An existing model of that name is used.',
    example: 'demo-model',
    if: ({ model }) => (model as JobValues['model']).id === NEW,
  },
  { place: 'kind', label: 'Kind' },
  { place: 'groups', label: 'Trajectory groups', if: hasGroups },
  {
    place: 'size',
    label: 'Trajectories in each',
    hint: 'Every other one has the reward 1.',
    if: hasGroups,
  },
  {
    place: 'trajectory_groups',
    label: 'Or: trajectory_groups, as JSON',
    hint: 'What a client sends. It replaces the two numbers.',
    example: '[{"trajectories": [{"reward": 1}, {"reward": 0.5}]}]',
    if: hasGroups,
  },
  {
    place: 'trajectories',
    label: 'Lines of training data',
    if: (values) => !hasGroups(values),
  },
  { place: 'course', label: 'How it goes', wide: 'twice' },
  {
    place: 'step',
    label: 'Step',
    if: ({ course }) => course !== 'scenario' && course !== 'own',
  },
  {
    place: 'error_message',
    label: 'Error message',
    example: 'Training failed',
    if: ({ course }) => course === 'fail',
  },
  {
    place: 'timeline',
    label: 'timeline, as JSON',
    hint: 'As the timeline of a job in a scenario.',
    rows: 6,
    if: ({ course }) => course === 'own',
  },
]

const START = {
  kind: 'rl',
  course: 'scenario',
  groups: 3,
  size: 2,
  trajectories: 6,
  step: 3,
  timeline: [
    { event: 'training_started', after: '1s' },
    { event: 'gradient_step', every: '1s', count: 6 },
    { event: 'training_ended', after: '1s' },
  ],
}

/** Creates a job, and opens its page. */
export function NewJob({ close }: { close: () => void }): ComponentChildren {
  const live = useLiveStore()
  const models = useLoaded(async () => (await call('GET /models')).models.toReversed())
  const [wanted] = useQuery('model')
  const names = (models.value ?? []).map((model) => [model.id, fullName(model)] as const)
  const schema = schemaOf(Object.fromEntries(names))
  return (
    <Form<JobValues>
      label="New job"
      submit="Create job"
      shapeOf={(values) => ({
        schema,
        fields: FIELDS.filter((field) => field.if === undefined || field.if(values)),
      })}
      start={{ ...START, model: { id: wanted || NEW } }}
      send={async (values) => {
        const job = await call('POST /jobs', { body: bodyOf(values) })
        live.know([job])
        location.hash = hrefOf({ page: 'job', id: job.id })
      }}
      cancel={close}
      error={models.error}
    />
  )
}

/** @throws {FieldError} When a number or the timeline is missing or wrong. */
function bodyOf(values: JobValues): JobBody {
  const { model, kind } = values
  const idOrName = model.id === NEW ? model.name : model.id
  const timeline = timelineOf(values)
  const named = { ...(idOrName && { model: idOrName }), kind, ...(timeline && { timeline }) }
  if (kind === 'sft') return { ...named, trajectories: countIn(values, 'trajectories', 1_000_000) }
  return { ...named, trajectory_groups: values.trajectory_groups ?? inventedGroups(values) }
}

function inventedGroups(values: JobValues): object[] {
  const groups = countIn(values, 'groups', MOST_TRAJECTORIES)
  const size = countIn(values, 'size', Math.floor(MOST_TRAJECTORIES / groups))
  const trajectories = Array.from({ length: size }, (_, index) => ({ reward: 1 - (index % 2) }))
  return Array.from({ length: groups }, () => ({ trajectories }))
}

function countIn(
  values: JobValues,
  name: 'groups' | 'size' | 'trajectories' | 'step',
  most: number,
): number {
  const count = values[name]
  if (Number.isInteger(count) && count! >= 1 && count! <= most) return count!
  throw new FieldError(name, `Enter a whole number from 1 to ${most.toLocaleString('en')}.`)
}

/** The timeline that the user chose. Without one, the scenario decides. */
function timelineOf(values: JobValues): unknown[] | undefined {
  const { course, timeline: own, error_message = 'Training failed' } = values
  if (course === 'scenario') return undefined
  if (course === 'own') {
    if (own) return own
    throw new FieldError('timeline', 'Enter a list of events, or choose another way.')
  }
  const step = countIn(values, 'step', 1_000_000)
  const started = { event: 'training_started', after: '1s' }
  const ended = { event: 'training_ended', after: '1s' }
  const steps = { event: 'gradient_step', every: '1s' }
  if (course === 'fail') {
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
