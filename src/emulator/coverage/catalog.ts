import { refusalsOf } from '../../service/api/openapi.js'
import type { Operation } from '../../service/api/operation.js'
import { operations } from '../../service/api/table.js'
import { meaningOf } from '../../service/contract/status-wording.js'
import { trainingJobEventTypes } from '../../service/contract/training-job.js'
import type { Host } from '../../service/contract/exchange.js'
import type { JobKind, SpoiledSteps } from '../../service/scenario/scenario.js'
import { eventTypes } from '../../webhooks/sending/trigger.js'
import {
  adversaries,
  LISTING,
  pageTroubles,
  READING,
  troubles,
  withoutWork,
  type Trouble,
} from './outcomes.js'
import type { CoverageTally } from './recorder.js'

/** Something that the service can do to a client. */
export interface KnownBehavior {
  /** Unique in the catalog: `createModel/429`. */
  readonly id: string
  /** In words, after "never saw": `429 Too Many Requests`. */
  readonly text: string
}

/** What belongs together in a report. */
export interface KnownGroup {
  /** The id of an operation, or a name such as `RL jobs`. */
  readonly name: string
  /** What it is about. */
  readonly kind: 'operation' | 'jobs' | 'events' | 'metrics' | 'pages' | 'streams' | 'webhooks'
  readonly behaviors: readonly KnownBehavior[]
  /** Whether the client uses this part of the service. */
  readonly isUsed: (tally: CoverageTally) => boolean
}

/** The statuses that any operation can give, besides those of its row. See docs/explain/contract.md#the-inference-host. */
const USUAL: Readonly<Record<Host, readonly number[]>> = {
  training: [402, 500, 503, 504],
  inference: [402, 403, 500, 503],
}

function operationGroup(row: Operation): KnownGroup {
  const { id } = row
  const host = row.host as Host
  const usual = row.auth === 'open' ? USUAL[host].filter((status) => status >= 500) : USUAL[host]
  // 405 is the answer to another method, so to no operation.
  const statuses = [...new Set([...refusalsOf(row), ...usual])].filter((status) => status !== 405)
  const reading = READING.has(id)
  const wrong = (Object.keys(troubles) as Trouble[]).filter((trouble) => {
    return !reading || withoutWork(trouble) === trouble
  })
  return {
    name: id,
    kind: 'operation',
    behaviors: [
      { id: `${id}/success`, text: 'success' },
      ...statuses
        .sort((one, other) => one - other)
        .map((status) => ({ id: `${id}/${status}`, text: `${status} ${nameOf(status)}` })),
      ...wrong.map((trouble) => ({ id: `${id}/${trouble}`, text: troubles[trouble].text })),
    ],
    isUsed: ({ operations: used }) => used[id] !== undefined,
  }
}

/** The usual name of a status. */
function nameOf(status: number): string {
  return NAMES[status] ?? meaningOf(status, 'training')
}

const NAMES: Readonly<Record<number, string>> = { 401: 'Unauthorized', 422: 'Validation Error' }

/** What a client sees of jobs, in words. */
const lifecycles = {
  ended: 'a job that ended',
  endedEarly: 'a job that ended with fewer steps than it announced',
  endedWithoutSteps: 'a job that ended without gradient steps',
  withoutCheckpoint: 'a job that ended without a checkpoint',
  severalCheckpoints: 'a job with several checkpoints',
  failed: 'a job that failed',
  failedInQueue: 'a job that failed in the queue',
  failedAtOnce: 'a job that failed before its first step',
  failedLate: 'a job that failed after its last step',
  stalled: 'a job that stalled',
  stuck: 'a job that started and then did nothing more',
  stuckInQueue: 'a job that stayed in the queue',
} as const

/** What a client sees of a job. */
export type Lifecycle = keyof typeof lifecycles

function jobGroup(kind: JobKind): KnownGroup {
  const create = kind === 'rl' ? 'createRlTrainingJob' : 'createSftTrainingJob'
  return {
    name: `${kind.toUpperCase()} jobs`,
    kind: 'jobs',
    behaviors: listed(`jobs/${kind}`, lifecycles),
    isUsed: (tally) => tally.operations[create] !== undefined || hasMet(tally, `jobs/${kind}/`),
  }
}

type BadValue = Exclude<SpoiledSteps['with'], object | '-Infinity'> | 'text'

const metrics: Readonly<Record<BadValue, string>> = {
  NaN: 'a metric that is NaN',
  Infinity: 'a metric that is Infinity',
  null: 'a metric that is null',
  missing: 'a missing metric',
  text: 'a metric that is a text',
}

const streams = {
  whole: 'a whole stream',
  cut: 'a stream that is cut off',
  stalled: 'a stream that stops half-way and stays open',
}

const deliveries = {
  acknowledged: 'a delivery that your receiver acknowledged at once',
  retried: 'a delivery that your receiver acknowledged after a retry',
  givenUp: 'a delivery that was given up',
}

/** Everything that the service can do to a client, from the tables of the emulator. */
export const catalog: readonly KnownGroup[] = [
  ...operations.filter(({ tag }) => tag !== 'description').map(operationGroup),
  jobGroup('rl'),
  jobGroup('sft'),
  {
    name: 'job events',
    kind: 'events',
    behaviors: trainingJobEventTypes.map((type) => ({
      id: `events/${type}`,
      text: `the event ${type}`,
    })),
    isUsed: ({ operations: used }) => used.listTrainingJobEvents !== undefined,
  },
  {
    name: 'metrics',
    kind: 'metrics',
    behaviors: listed('metrics', metrics),
    isUsed: ({ operations: used }) => used.listTrainingJobEvents !== undefined,
  },
  ...[...LISTING].map((operation): KnownGroup => ({
    name: `pages of ${operation}`,
    kind: 'pages',
    behaviors: [
      { id: `pages/${operation}/next`, text: 'a page after a cursor' },
      ...Object.entries(pageTroubles).map(([kind, { text }]) => {
        return { id: `pages/${operation}/${kind}`, text }
      }),
    ],
    isUsed: ({ operations: used }) => used[operation] !== undefined,
  })),
  {
    name: 'streams',
    kind: 'streams',
    behaviors: listed('streams', streams),
    isUsed: (tally) => hasMet(tally, 'streams/'),
  },
  {
    name: 'webhooks',
    kind: 'webhooks',
    behaviors: [
      ...eventTypes.map((type) => ({ id: `webhooks/${type}`, text: `the event ${type}` })),
      ...listed('webhooks', { ...deliveries, ...adversaries }),
    ],
    isUsed: (tally) => hasMet(tally, 'webhooks/'),
  },
]

function listed(prefix: string, texts: Readonly<Record<string, string>>): KnownBehavior[] {
  return Object.entries(texts).map(([name, text]) => ({ id: `${prefix}/${name}`, text }))
}

function hasMet({ counts }: CoverageTally, prefix: string): boolean {
  return Object.keys(counts).some((id) => id.startsWith(prefix))
}
