import type { Observation, Use } from './exploration.js'

/** Says why a scenario would change nothing for code that was observed like this. Undefined if it fits. */
export function whyNot(about: About | undefined, observed: Observation): string | undefined {
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

const needs = {
  jobs: calling(/^create(?:Rl|Sft)TrainingJob$/, 'creates no jobs'),
  sft: calling(/^createSftTrainingJob$/, 'creates no SFT jobs'),
  chats: calling(/ChatCompletion|^create(?:Completion|Response|Message)$/, 'makes no chats'),
  events: calling(/^listTrainingJobEvents$/, 'reads no events of jobs'),
  // Nothing goes on while code waits for a webhook.
  polls: {
    met: ({ calls, deliveries }) =>
      calls['listTrainingJobEvents'] !== undefined && deliveries === 0,
    missing: 'reads no events of jobs, or waits for webhooks',
  },
  'any polls': {
    met: ({ calls, deliveries }) =>
      deliveries === 0 && (calls['listTrainingJobEvents'] ?? calls['getTrainingJob']) !== undefined,
    missing: 'polls no jobs, or waits for webhooks',
  },
  lists: calling(/^list(?:TrainingJobEvents|Checkpoints)$/, 'lists neither events nor checkpoints'),
  models: calling(/^createModel$/, 'creates no models'),
  'system check': calling(/^systemCheck$/, 'does not call the system check'),
  deliveries: { met: ({ deliveries }) => deliveries > 0, missing: 'receives no webhooks' },
  tools: using('tools', 'offers no tools in its chats'),
  logprobs: using('logprobs', 'asks for no log probabilities'),
  judge: using('judge', 'asks no model to score answers'),
  artifacts: using('artifacts', 'logs no artifacts'),
  runs: calling(/^streamRun$/, 'logs no runs'),
  'unfinished jobs': {
    met: () => false,
    missing: 'is not known to have two unfinished jobs at once',
  },
} satisfies Readonly<Record<Use, Need>> & Readonly<Record<string, Need>>

/** What a scenario is about. Code that does none of it cannot tell the scenario from `happy-path`. */
export type About = keyof typeof needs
