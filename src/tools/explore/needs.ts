import {
  isChatOperation,
  jobCreations,
  pageReads,
  type OperationName,
} from '../../service/contract/operation-names.js'
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

function callingAny(isOne: (operation: string) => boolean, missing: string): Need {
  return { met: ({ calls }) => Object.keys(calls).some(isOne), missing }
}

function calling(operation: OperationName, missing: string): Need {
  return { met: ({ calls }) => has(calls, operation), missing }
}

function has(calls: Observation['calls'], operation: OperationName): boolean {
  return calls[operation] !== undefined
}

function using(use: Use, missing: string): Need {
  return { met: ({ uses }) => uses.includes(use), missing }
}

const needs = {
  jobs: callingAny((name) => jobCreations.includes(name), 'creates no jobs'),
  sft: calling('createSftTrainingJob', 'creates no SFT jobs'),
  chats: callingAny(isChatOperation, 'makes no chats'),
  events: calling('listTrainingJobEvents', 'reads no events of jobs'),
  // Nothing goes on while code waits for a webhook.
  polls: {
    met: ({ calls, deliveries }) => deliveries === 0 && has(calls, 'listTrainingJobEvents'),
    missing: 'reads no events of jobs, or waits for webhooks',
  },
  'any polls': {
    met: ({ calls, deliveries }) =>
      deliveries === 0 && (has(calls, 'listTrainingJobEvents') || has(calls, 'getTrainingJob')),
    missing: 'polls no jobs, or waits for webhooks',
  },
  lists: callingAny((name) => pageReads.includes(name), 'lists neither events nor checkpoints'),
  models: calling('createModel', 'creates no models'),
  'system check': calling('systemCheck', 'does not call the system check'),
  deliveries: { met: ({ deliveries }) => deliveries > 0, missing: 'receives no webhooks' },
  tools: using('tools', 'offers no tools in its chats'),
  logprobs: using('logprobs', 'asks for no log probabilities'),
  judge: using('judge', 'asks no model to score answers'),
  artifacts: using('artifacts', 'logs no artifacts'),
  runs: calling('streamRun', 'logs no runs'),
  // No observation shows whether two jobs were unfinished at once, so such a scenario is never planned.
  'unfinished jobs': {
    met: () => false,
    missing: 'is not known to have two unfinished jobs at once',
  },
} satisfies Readonly<Record<Use, Need>> & Readonly<Record<string, Need>>

/** What a scenario is about. Code that does none of it cannot tell the scenario from `happy-path`. */
export type About = keyof typeof needs
