import { defaultPayload } from '../../../webhooks/sending/payload.js'
import { listedPart } from '../planned-for.js'
import { mayBecome } from '../recoverable.js'

/** What a receiver of webhooks must tell apart: a delivery that comes twice, two events with equal bytes, and a forged one. */
export const webhooks = listedPart([
  {
    about: 'deliveries',
    scenario: {
      name: 'repeated-deliveries',
      description: 'Each delivery of a webhook comes twice.',
      webhooks: [{ name: 'receiver', adversary: [{ do: 'duplicate' }] }],
    },
  },
  {
    about: 'deliveries',
    scenario: {
      name: 'equal-events',
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
    // A smaller one, in which every job fails, may fail in the same way for another reason.
    mayBecome: () => false,
    remarkOn(_, { observed }) {
      if ((observed.equalEvents ?? 0) > 0) return undefined
      return 'It started no second job after a failure, so no two events had equal bytes: whether it tells them apart was not seen.'
    },
  },
  {
    about: 'deliveries',
    scenario: {
      name: 'forged-deliveries',
      description:
        'Before each delivery comes one with a wrong signature, which says that a job failed, or names what does not exist.',
      webhooks: [{ name: 'forger', adversary: [{ do: 'wrong_secret' }] }, { name: 'receiver' }],
      automations: [
        {
          event: 'RUN_STATE',
          name: 'a failure',
          webhook: 'forger',
          states: ['finished'],
          payload: { ...defaultPayload, run_state: 'failed' },
        },
        {
          event: 'ADD_ARTIFACT_ALIAS',
          name: 'another checkpoint',
          webhook: 'forger',
          payload: { ...defaultPayload, alias: '${alias}000' },
        },
      ],
    },
    // A smaller one, in which a valid signature lies, may fail in the same way for another reason.
    mayBecome: (smaller, run) => {
      const keepsWebhooks =
        JSON.stringify(smaller.webhooks) === JSON.stringify(run.scenario.webhooks)
      return keepsWebhooks && mayBecome(smaller, run)
    },
  },
])
