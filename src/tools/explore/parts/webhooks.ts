import type { OwnScenario } from '../exploration.js'
import { whyNot } from '../needs.js'
import { plannedFor, type ListedPart } from '../part.js'
import { mayBecome } from '../recoverable.js'

const EQUAL_EVENTS = 'equal-events'

const webhookScenarios: readonly OwnScenario[] = [
  {
    scenario: {
      name: 'repeated-deliveries',
      description: 'Each delivery of a webhook comes twice.',
      webhooks: [{ name: 'receiver', adversary: [{ do: 'duplicate' }] }],
    },
  },
  {
    scenario: {
      name: EQUAL_EVENTS,
      description:
        'The first two jobs of a model fail alike, so their deliveries have equal bytes.',
      jobs: [1, 2].map((ordinal) => ({
        match: { ordinal },
        timeline: [
          { event: 'training_started', after: '1s' },
          { event: 'training_failed', after: '1s', error_message: 'The worker was preempted' },
        ],
      })),
    },
    expects: 'any_end',
  },
]

/** What a receiver of webhooks must tell apart: a delivery that comes twice, and two events with equal bytes. */
export const webhooks: ListedPart = {
  kind: 'scenario',
  names: () => webhookScenarios.map(({ scenario }) => scenario.name),
  plan: ({ observed }) => {
    const unfit = whyNot('deliveries', observed)
    return webhookScenarios.map((each) => ({ ...plannedFor(each), unfit }))
  },
  // A smaller one may fail in the same way for another reason: one in which every job fails.
  mayBecome: (smaller, run) => run.name !== EQUAL_EVENTS && mayBecome(smaller, run),
  remarkOn({ name }, { observed }) {
    if (name !== EQUAL_EVENTS || (observed.equalEvents ?? 0) > 0) return undefined
    return 'It started no second job after a failure, so no two events had equal bytes: whether it tells them apart was not seen.'
  },
}
