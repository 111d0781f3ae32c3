import {
  builtInScenario,
  type BuiltInScenarioName,
} from '../../../service/scenario/built-in-scenarios.js'
import type { ScenarioInput } from '../../../service/scenario/scenario.js'
import type { Observation, Trial, Use } from '../exploration.js'

/** What a scenario is about. Code that does none of it cannot tell the scenario from `happy-path`. */
type About =
  | 'jobs'
  | 'sft'
  | 'chats'
  | 'events'
  | 'lists'
  | 'models'
  | 'deliveries'
  | 'system check'
  | Use

interface Facts {
  readonly expects: Trial['expects']
  readonly about?: About
}

const success = (about?: About): Facts => ({ expects: 'success', ...(about && { about }) })
const anyEnd = (about?: About): Facts => ({ expects: 'any_end', ...(about && { about }) })

/**
 * How code may end under each built-in scenario, and what the scenario is about. The order is that of the plan:
 * the scenarios that tell most come first, because there may be fewer runs than scenarios.
 */
export const builtInFacts: Readonly<Record<Exclude<BuiltInScenarioName, 'happy-path'>, Facts>> = {
  'commit-then-fail': success('jobs'),
  'chat-hangs': success('chats'),
  'flaky-gateway': success(),
  'checkpoint-not-served': success('chats'),
  'dropped-connections': success(),
  'stuck-job': anyEnd('jobs'),
  'failing-job': anyEnd('jobs'),
  'stale-cursor': success('lists'),
  'webhook-storm': success('deliveries'),
  'duplicate-submission': success('jobs'),
  'chat-stalls-mid-stream': success('chats'),
  'hanging-calls': success('jobs'),
  'rate-limited': success(),
  'malformed-answers': success(),
  'not-found-at-first': success('jobs'),
  'adversarial-pagination': success('lists'),
  'webhook-receiver-down': success('deliveries'),
  'maintenance-window': success(),
  'payment-required-then-cleared': success(),
  'stray-400': success(),
  'model-creation-fails': success('models'),
  'moving-pages': success('lists'),
  'ends-without-checkpoint': anyEnd('jobs'),
  'checkpoint-evicted': anyEnd('chats'),
  'checkpoint-expires': anyEnd('chats'),
  'two-jobs': anyEnd('jobs'),
  'stuck-in-queue': anyEnd('jobs'),
  'fails-before-start': anyEnd('jobs'),
  'fails-at-once': anyEnd('jobs'),
  'fails-late': anyEnd('jobs'),
  'quota-exhausted': anyEnd(),
  'auth-expired': anyEnd(),
  'chat-concurrency-limit': success('chats'),
  'missing-logprobs': anyEnd('logprobs'),
  'malformed-tool-calls': success('tools'),
  'bad-judge': success('judge'),
  'context-overflow': anyEnd('chats'),
  'empty-batch': anyEnd('chats'),
  'nothing-to-train': anyEnd('chats'),
  'slow-responses': success(),
  'slow-start': success('jobs'),
  'stalled-then-resumed': success('jobs'),
  'checkpoints-on-the-way': success('jobs'),
  'ends-early': success('jobs'),
  'missing-metrics': success('events'),
  'nan-metrics': anyEnd('events'),
  'textual-metric': success('events'),
  'long-run': success('jobs'),
  sft: success('sft'),
  'collapsing-policy': anyEnd('chats'),
  'learning-policy': success('chats'),
  'diverging-loss': anyEnd('events'),
  plateau: anyEnd('events'),
  'reward-collapse': anyEnd('events'),
  'system-check-degraded': anyEnd('system check'),
}

/** A scenario that an exploration may try. */
export interface Choice {
  readonly name: string
  readonly facts: Facts
  readonly scenario: () => ScenarioInput
}

/** A job that fails as the one before it. */
const failingJob = {
  timeline: [
    { event: 'training_started', after: '1s' },
    { event: 'training_failed', after: '1s', error_message: 'The worker was preempted' },
  ],
} satisfies NonNullable<ScenarioInput['jobs']>[number]

/** The name of the run with two events whose deliveries have equal bytes. */
export const EQUAL_EVENTS = 'equal-events'

/** What a receiver of webhooks must tell apart: a delivery that comes twice, and two events with equal bytes. */
const deliveryChoices: readonly Choice[] = [
  {
    name: 'repeated-deliveries',
    facts: success('deliveries'),
    scenario: () => ({
      name: 'repeated-deliveries',
      description: 'Each delivery of a webhook comes twice.',
      webhooks: [{ name: 'receiver', adversary: [{ do: 'duplicate' }] }],
    }),
  },
  {
    name: EQUAL_EVENTS,
    facts: anyEnd('deliveries'),
    scenario: () => ({
      name: EQUAL_EVENTS,
      description:
        'The first two jobs of a model fail alike, so their deliveries have equal bytes.',
      jobs: [
        { match: { ordinal: 1 }, ...failingJob },
        { match: { ordinal: 2 }, ...failingJob },
      ],
    }),
  },
]

/** The names of the scenarios that only explorations have. */
export const exploredNames: readonly string[] = deliveryChoices.map(({ name }) => name)

/** What an exploration may try, in the order of its plan. */
export function choices(): Choice[] {
  const builtIn = Object.entries(builtInFacts).map(([name, facts]) => {
    return { name, facts, scenario: () => builtInScenario(name) }
  })
  return [...deliveryChoices, ...builtIn]
}

/** Says why a scenario would change nothing for code that was observed like this. Undefined if it fits. */
export function whyNot({ about }: Facts, observed: Observation): string | undefined {
  if (about === undefined || needs[about].met(observed)) return undefined
  return `The code ${needs[about].missing}.`
}

interface Need {
  readonly met: (observed: Observation) => boolean
  /** Completes "The code …". */
  readonly missing: string
}

function calling(pattern: RegExp, missing: string): Need {
  return { met: ({ calls }) => Object.keys(calls).some((name) => pattern.test(name)), missing }
}

function using(use: Use, missing: string): Need {
  return { met: ({ uses }) => uses.includes(use), missing }
}

const needs: Readonly<Record<About, Need>> = {
  jobs: calling(/^create(?:Rl|Sft)TrainingJob$/, 'creates no jobs'),
  sft: calling(/^createSftTrainingJob$/, 'creates no SFT jobs'),
  chats: calling(/ChatCompletion|^create(?:Completion|Response|Message)$/, 'makes no chats'),
  events: calling(/^listTrainingJobEvents$/, 'reads no events of jobs'),
  lists: calling(/^list(?:TrainingJobEvents|Checkpoints)$/, 'lists neither events nor checkpoints'),
  models: calling(/^createModel$/, 'creates no models'),
  'system check': calling(/^systemCheck$/, 'does not call the system check'),
  deliveries: { met: ({ deliveries }) => deliveries > 0, missing: 'receives no webhooks' },
  tools: using('tools', 'offers no tools in its chats'),
  logprobs: using('logprobs', 'asks for no log probabilities'),
  judge: using('judge', 'asks no model to score answers'),
}
