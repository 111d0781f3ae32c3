import type { ComponentChildren } from 'preact'
import type { BodyOf } from '../../emulator/control/client/call.js'
import { call } from '../data/control.js'
import { useLiveStore } from '../data/use-live.js'
import { useLoaded } from '../data/use-loaded.js'
import type { FormField } from '../kit/field-values.js'
import { RowForm } from '../kit/row-form.js'
import { hrefOf, useQuery } from '../routes.js'

const STARTED = { event: 'training_started', after: '1s' }
const STEPS = { event: 'gradient_step', every: '1s' }
const ENDED = { event: 'training_ended', after: '1s' }
const START = { kind: 'rl' } as const

const USUAL = 'As the scenario says'

/** How a job can go. The user can change each of them. */
const PRESETS = {
  [USUAL]: START,
  'Fails after 3 steps': {
    ...START,
    timeline: [
      STARTED,
      { ...STEPS, count: 3 },
      { event: 'training_failed', after: '1s', error_message: 'out of memory' },
    ],
  },
  'Has a loss of NaN': {
    ...START,
    timeline: [
      STARTED,
      { ...STEPS, count: 6, spoil: [{ at: [3, 4, 5, 6], metric: 'loss', with: 'NaN' }] },
      ENDED,
    ],
  },
  'Stalls after 3 steps': {
    ...START,
    timeline: [STARTED, { ...STEPS, count: 3 }, { event: 'stall' }, { ...STEPS, count: 3 }, ENDED],
  },
  'Is supervised fine-tuning': { kind: 'sft' },
} satisfies Readonly<Record<string, BodyOf<'POST /jobs'>>>

/** Creates a job, and opens its page. */
export function NewJob({ close }: { close: () => void }): ComponentChildren {
  const live = useLiveStore()
  const models = useLoaded(async () => (await call('GET /models')).models.toReversed())
  const [wanted] = useQuery('model')
  const known = (models.value ?? []).map(({ name }) => name)
  const fields: readonly FormField[] = [
    { place: 'model', label: 'Model', known, example: 'a new model', focus: true },
    { place: 'kind', label: 'Kind' },
    { place: 'trajectories', label: 'Trajectories' },
    {
      place: 'timeline',
      label: 'timeline, as JSON',
      example: USUAL,
      rows: 6,
    },
    {
      place: 'trajectory_groups',
      label: 'trajectory_groups, as JSON',
      example: '[{"trajectories": [{"reward": 1}, {"reward": 0.5}]}]',
    },
  ]
  const start = { ...START, ...(wanted && { model: wanted }) }
  return (
    <RowForm
      row="POST /jobs"
      label="New job"
      submit="Create job"
      fields={fields}
      start={start}
      presets={PRESETS}
      done={(job) => {
        live.know([job])
        location.hash = hrefOf({ page: 'job', id: job.id })
      }}
      cancel={close}
    />
  )
}
