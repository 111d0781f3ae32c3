import {
  builtInScenarioNames,
  type BuiltInScenarioName,
} from '../../../service/scenario/built-in-names.js'
import { builtInScenario, DEFAULT_SCENARIO } from '../../../service/scenario/built-in-scenarios.js'
import type { Trial } from '../exploration.js'
import { whyNot, type About } from '../needs.js'
import type { ListedPart } from '../part.js'
import { mayBecome } from '../recoverable.js'

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
  'missing-metrics': success('events'),
  'nan-metrics': anyEnd('events'),
  'textual-metric': success('events'),
  'ends-early': success('jobs'),
  'dropped-connections': success(),
  'stuck-job': anyEnd('jobs'),
  'failing-job': anyEnd('jobs'),
  'cut-off-answers': anyEnd('chats'),
  'stale-cursor': success('lists'),
  'webhook-storm': success('deliveries'),
  'duplicate-submission': success('jobs'),
  'chat-stalls-mid-stream': success('chats'),
  'hanging-calls': success('jobs'),
  'rate-limited': success(),
  'malformed-answers': success(),
  'cold-adapter': success('chats'),
  'not-found-at-first': success('jobs'),
  'adversarial-pagination': success('lists'),
  'webhook-receiver-down': success('deliveries'),
  'maintenance-window': success(),
  'judge-down': success('judge'),
  'platform-down': success('runs'),
  'upload-fails': success('artifacts'),
  'slow-commit': success('artifacts'),
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
  'judge-scores-zero': anyEnd('judge'),
  'context-overflow': anyEnd('chats'),
  'retokenized-history': anyEnd('chats'),
  'empty-batch': anyEnd('chats'),
  'nothing-to-train': anyEnd('chats'),
  'policy-moves-mid-rollout': success('chats'),
  'adapter-not-applied': anyEnd('chats'),
  'overlong-rows': anyEnd('jobs'),
  'model-does-not-learn': anyEnd('chats'),
  'slow-responses': success(),
  'slow-start': success('jobs'),
  'stalled-then-resumed': success('jobs'),
  'checkpoints-on-the-way': success('jobs'),
  'long-run': success('jobs'),
  'jobs-concurrency-limit': success('unfinished jobs'),
  sft: success('sft'),
  'collapsing-policy': anyEnd('chats'),
  'learning-policy': success('chats'),
  'diverging-loss': anyEnd('events'),
  plateau: anyEnd('events'),
  'reward-collapse': anyEnd('events'),
  'system-check-degraded': anyEnd('system check'),
}

/** The first of the built-in scenarios that come only after the runs of `demands.ts`. */
const LATER: keyof typeof builtInFacts = 'platform-down'

const names = Object.keys(builtInFacts)

function partWith(chosen: readonly string[]): ListedPart {
  const all = new Set(chosen)
  return {
    kind: 'scenario',
    names: () => builtInScenarioNames.filter((name) => all.has(name)),
    plan: ({ observed }) => {
      return Object.entries(builtInFacts)
        .filter(([name]) => all.has(name))
        .map(([name, { expects, about }]) => {
          return { name, scenario: builtInScenario(name), expects, unfit: whyNot(about, observed) }
        })
    },
    mayBecome,
  }
}

/** The built-in scenarios that tell most. */
export const builtInScenarios = partWith([
  DEFAULT_SCENARIO,
  ...names.slice(0, names.indexOf(LATER)),
])

/** The other built-in scenarios. */
export const laterScenarios = partWith(names.slice(names.indexOf(LATER)))
