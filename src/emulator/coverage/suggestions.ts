import { pageTroubles, troubles, type PageKind, type Trouble } from './outcomes.js'
import type { BuiltInScenarioName } from '../../service/scenario/built-in-scenarios.js'
import { jobCreations } from '../../service/contract/operation-names.js'
import type { ScenarioInput } from '../../service/scenario/scenario.js'
import { matchesGlob } from '../../base/text/glob.js'
import { flowYaml } from '../../base/text/flow-yaml.js'
import type { Lifecycle } from './catalog.js'
import type { CoverageTally } from './recorder.js'

/** What closes a gap. */
export interface Suggestion {
  /** The name of a built-in scenario. Null: no built-in scenario closes the gap for this client. */
  readonly scenario: BuiltInScenarioName | null
  /** The keys of a scenario of your own that close the gap. Null: a built-in scenario does. */
  readonly part: Part | null
  /** The name of the scenario, or the keys as YAML. */
  readonly text: string
}

/** Some keys of a scenario. */
type Part = Partial<ScenarioInput>

/** The behaviors that a scenario produces for every client that calls the operations. */
interface Closing {
  readonly scenario: BuiltInScenarioName
  /** Globs of ids in the catalog. */
  readonly ids: readonly string[]
  /** The call of the operation from which on it is certain. Default: the first one. */
  readonly from?: number
}

const READS = ['getTrainingJob', 'listTrainingJobEvents']
const CHATS = [
  'createChatCompletionSlashed',
  'createChatCompletion',
  'createInferenceChatCompletion',
]

/** The first one that fits is suggested. test/emulator/coverage/suggestions.test.ts plays each of them. */
export const closings: readonly Closing[] = [
  {
    scenario: 'happy-path',
    ids: [
      '*/success',
      'jobs/rl/ended',
      'streams/whole',
      'events/training_started',
      'events/gradient_step',
      'events/training_ended',
      'webhooks/acknowledged',
    ],
  },
  { scenario: 'system-check-degraded', ids: ['systemCheck/503'] },
  { scenario: 'flaky-gateway', ids: ['*/503'] },
  {
    scenario: 'model-creation-fails',
    ids: of(['createModel'], '500', 'errorAfterWork', 'proxyError'),
  },
  { scenario: 'duplicate-submission', ids: of(jobCreations, '504', 'errorAfterWork') },
  { scenario: 'commit-then-fail', ids: of(jobCreations, 'lostAfterWork') },
  {
    scenario: 'not-found-at-first',
    ids: of([...jobCreations, ...READS, 'listCheckpoints'], '404'),
  },
  { scenario: 'payment-required-then-cleared', ids: of([...jobCreations, ...CHATS], '402') },
  { scenario: 'empty-batch', ids: of(CHATS, '500') },
  { scenario: 'chat-hangs', ids: of(CHATS, 'hangs'), from: 2 },
  { scenario: 'chat-stalls-mid-stream', ids: of(CHATS, 'halfHangs'), from: 2 },
  { scenario: 'missing-logprobs', ids: of(CHATS, 'edited'), from: 2 },
  { scenario: 'rate-limited', ids: of(READS, '429'), from: 4 },
  { scenario: 'auth-expired', ids: of(READS, '401'), from: 5 },
  { scenario: 'stray-400', ids: of(READS, 'proxyError'), from: 7 },
  { scenario: 'hanging-calls', ids: of(READS, 'hangs'), from: 4 },
  { scenario: 'dropped-connections', ids: of(READS, 'lost', 'halfClosed'), from: 8 },
  { scenario: 'malformed-answers', ids: of(READS, 'malformed'), from: 6 },
  { scenario: 'slow-responses', ids: ['*/slow'] },
  { scenario: 'sft', ids: ['jobs/sft/ended'] },
  { scenario: 'ends-early', ids: jobs('endedEarly') },
  { scenario: 'ends-without-checkpoint', ids: jobs('withoutCheckpoint') },
  { scenario: 'checkpoints-on-the-way', ids: jobs('severalCheckpoints') },
  { scenario: 'failing-job', ids: [...jobs('failed'), 'events/training_failed'] },
  { scenario: 'fails-before-start', ids: jobs('failedInQueue') },
  { scenario: 'fails-at-once', ids: jobs('failedAtOnce') },
  { scenario: 'fails-late', ids: jobs('failedLate') },
  { scenario: 'stalled-then-resumed', ids: jobs('stalled') },
  { scenario: 'stuck-job', ids: jobs('stuck') },
  { scenario: 'stuck-in-queue', ids: jobs('stuckInQueue') },
  { scenario: 'nan-metrics', ids: ['metrics/NaN', 'metrics/Infinity'] },
  { scenario: 'missing-metrics', ids: ['metrics/null', 'metrics/missing'] },
  { scenario: 'textual-metric', ids: ['metrics/text'] },
  { scenario: 'stale-cursor', ids: eventPages('page_stale') },
  { scenario: 'moving-pages', ids: ['pages/*/page_arrivals'] },
  {
    scenario: 'adversarial-pagination',
    ids: ['pages/*/page_limit', ...eventPages('next', 'page_overlap', 'page_empty')],
  },
  {
    scenario: 'webhook-storm',
    ids: [
      'webhooks/RUN_STATE',
      'webhooks/CREATE_ARTIFACT',
      'webhooks/ADD_ARTIFACT_ALIAS',
      'webhooks/storm',
      'webhooks/duplicate',
      'webhooks/reordered',
    ],
  },
  { scenario: 'webhook-receiver-down', ids: ['webhooks/retried'] },
]

function of(
  operations: readonly string[],
  ...outcomes: readonly (Trouble | `${number}`)[]
): string[] {
  return operations.flatMap((operation) => outcomes.map((outcome) => `${operation}/${outcome}`))
}

/** A client that follows a job reads at least four pages of its events. */
function eventPages(...kinds: readonly string[]): string[] {
  return kinds.map((kind) => `pages/listTrainingJobEvents/${kind}`)
}

function jobs(what: Lifecycle): string[] {
  return [`jobs/rl/${what}`, `jobs/sft/${what}`]
}

/** Returns what closes a gap for a client that uses the service in this way. */
export function suggestionFor(id: string, tally: CoverageTally): Suggestion {
  const scenario = scenarioFor(id, tally)
  if (scenario) return { scenario, part: null, text: scenario }
  const part = partFor(id)
  const text = Object.entries(part)
    .map(([key, value]) => `${key}: ${flowYaml(value)}`)
    .join('; ')
  return { scenario: null, part, text }
}

function scenarioFor(id: string, { operations }: CoverageTally): BuiltInScenarioName | undefined {
  const [operation = '', outcome] = id.split('/')
  const use = operations[operation]
  const found = closings.find(({ ids, from = 1 }) => {
    return ids.some((glob) => matchesGlob(id, glob)) && (from === 1 || (use?.most ?? 0) >= from)
  })
  if (found) return found.scenario
  return outcome === '429' && use && use.bursts > 0 ? 'rate-limited' : undefined
}

/** Returns the part of a scenario that closes a gap with the first call of the operation. */
function partFor(id: string): Part {
  const [group = '', name = '', last = ''] = id.split('/')
  if (group === 'jobs')
    return { jobs: [{ timeline: [STARTED, { event: 'gradient_step', count: 0 }, ENDED] }] }
  if (group === 'pages') return { faults: pageFaults(name, last) }
  if (group === 'streams') {
    const how = name === 'cut' ? 'drop' : 'hang'
    return { faults: [{ fault: how, stage: 'mid_body', match: { operation: '*' }, calls: 1 }] }
  }
  if (group === 'webhooks') return webhookPart(name)
  return { faults: [{ ...faultFor(name), match: { operation: group }, calls: 1 }] }
}

type Fault = NonNullable<ScenarioInput['faults']>[number]

const STARTED = { event: 'training_started', after: '1s' } as const
const ENDED = { event: 'training_ended', after: '1s' } as const

function faultFor(outcome: string): Fault {
  if (Object.hasOwn(troubles, outcome)) return troubles[outcome as Trouble].example
  const status = Number(outcome)
  return { fault: 'status', status, ...(status === 429 && { retry_after: '2s' }) }
}

/** The second page is the first one with a cursor, so pages must be short. */
function pageFaults(operation: string, kind: string): Fault[] {
  const match = { operation }
  const short: Fault = { fault: 'page_limit', limit: 1, match }
  if (kind === 'next') return [short]
  // Built-in scenarios show the limit.
  const fault = kind as Exclude<PageKind, 'page_limit'>
  return pageTroubles[fault].cursor
    ? [{ fault, match, calls: 2 }, short]
    : [{ fault, match, calls: 1 }]
}

const ALL = { payload: { event: '${event_type}' }, webhook: 'receiver' } as const

function webhookPart(name: string): Part {
  switch (name) {
    case 'ADD_ARTIFACT_TAG':
      return { timeline: [{ after: { event: 'training_ended' }, do: 'add_tag', tag: 'reviewed' }] }
    case 'LINK_ARTIFACT':
      return {
        timeline: [
          {
            after: { event: 'training_ended' },
            do: 'link',
            registry: 'models',
            collection: 'poets',
          },
        ],
      }
    case 'RUN_METRIC':
      return {
        webhooks: [{ name: 'receiver' }],
        automations: [
          {
            ...ALL,
            name: 'loss',
            event: 'RUN_METRIC',
            metric: 'loss',
            window: 1,
            is: 'above',
            threshold: 0,
          },
        ],
      }
    case 'RUN_METRIC_CHANGE':
      return {
        webhooks: [{ name: 'receiver' }],
        automations: [
          {
            ...ALL,
            name: 'loss',
            event: 'RUN_METRIC_CHANGE',
            metric: 'loss',
            window: 1,
            prior: 1,
            by: 0,
          },
        ],
      }
    case 'givenUp':
      return adversary({ do: 'down', deliveries: 1 })
    case 'old_secret':
      return {
        ...adversary({ do: 'old_secret', secret: 'OLD_SECRET' }),
        secrets: { OLD_SECRET: 'old' },
      }
    case 'late':
      return adversary({ do: 'late', deliveries: 1 })
    default:
      return adversary({ do: name as 'wrong_secret' })
  }
}

type AdversaryInput = NonNullable<
  NonNullable<ScenarioInput['webhooks']>[number]['adversary']
>[number]

/** The automations are those of the built-in scenario. */
function adversary(rule: AdversaryInput): Part {
  return { extends: 'webhook-receiver-down', webhooks: [{ name: 'receiver', adversary: [rule] }] }
}
