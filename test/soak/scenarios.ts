import type { ScenarioInput } from '../../src/index.js'

/** Scenarios without faults that a client sees, except for failing jobs. */
const honest = [
  'happy-path',
  'failing-job',
  'sft',
  'two-jobs',
  'checkpoints-on-the-way',
  'fails-late',
]

const unsettled = [
  'adversarial-pagination',
  'auth-expired',
  'checkpoint-evicted',
  'checkpoint-not-served',
  'commit-then-fail',
  'dropped-connections',
  'duplicate-submission',
  'flaky-gateway',
  'hanging-calls',
  'maintenance-window',
  'malformed-answers',
  'moving-pages',
  'nan-metrics',
  'quota-exhausted',
  'rate-limited',
  'slow-responses',
  'stale-cursor',
  'stalled-then-resumed',
  'stuck-in-queue',
  'stuck-job',
  'system-check-degraded',
  'webhook-storm',
]

/** The limit of concurrent chats in `crowded`. */
export const SEATS = 8

/** Chats are slow and limited, and some answers are lost after the work. */
const crowded: ScenarioInput = {
  name: 'crowded',
  chat: { concurrency: SEATS, pace: { first_token: '20ms', tokens_per_second: 2000 } },
  faults: [
    { fault: 'concurrency', most: 30 },
    { fault: 'drop', stage: 'after', probability: 0.2, match: { operation: '*ChatCompletion*' } },
    { fault: 'drop', stage: 'mid_body', probability: 0.1 },
    { fault: 'malformed', form: 'truncated', probability: 0.1 },
    { fault: 'trickle', bytes: 50, every: '5ms', probability: 0.1 },
    { fault: 'hang', probability: 0.05 },
  ],
}

/** The same limit without faults: a single chat is always accepted. */
export const emptied: ScenarioInput = { name: 'emptied', chat: { concurrency: SEATS } }

export interface Weather {
  readonly name: string
  readonly scenario: string | ScenarioInput
  readonly honest: boolean
}

export const calmWeather: readonly Weather[] = honest.map((name) => {
  return { name, scenario: name, honest: true }
})

export const foulWeather: readonly Weather[] = [
  ...unsettled.map((name) => ({ name, scenario: name, honest: false })),
  ...Array.from({ length: 5 }, () => ({ name: 'crowded', scenario: crowded, honest: false })),
]

/** Whether a job may wait forever in this scenario, for some names of models. */
export function mayStick(scenario: string): boolean {
  return scenario.startsWith('stuck') || scenario === 'happy-path'
}
