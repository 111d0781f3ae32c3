import { trainMetric } from '../../service/engine/jobs/checkpoints.js'
import { fieldsOf, isAccepted, listIn, type Exchange, type Fields } from './exchanges.js'
import { stepsIn, type SeenJob, type SeenModel } from './seen-job.js'

/** A list of checkpoints that a client got. */
export interface Listing {
  readonly sentAt: number
  readonly answeredAt: number
  readonly metrics: ReadonlyMap<number, Fields>
  readonly newest: number
  /** Whether it has all checkpoints. */
  readonly isWhole: boolean
}

/** Returns the checkpoints that a call listed, if the newest one is among them. */
export function listingIn(exchange: Exchange, { id }: SeenModel): Listing | undefined {
  const { operation, params, query, received, sentAt, answeredAt = sentAt } = exchange
  if (operation !== 'listCheckpoints' || params['model_id'] !== id || !isAccepted(exchange)) {
    return undefined
  }
  const { data, has_more } = fieldsOf(received)
  const metrics = new Map(
    listIn(data).flatMap((item) => {
      const { step, metrics: own } = fieldsOf(item)
      return typeof step === 'number' ? [[step, fieldsOf(own)] as const] : []
    }),
  )
  const isFirst = query['after'] === undefined
  const hasNewest = query['order'] === 'desc' ? isFirst : has_more === false
  if (metrics.size === 0 || !hasNewest) return undefined
  const newest = Math.max(...metrics.keys())
  return { sentAt, answeredAt, metrics, newest, isWhole: isFirst && has_more === false }
}

/**
 * Finds the checkpoint of a job among the later steps of a list: the only one with the metrics of its last step. Undefined
 * if none or several have them.
 */
export function ownStep(
  job: SeenJob,
  listed: ReadonlyMap<number, Fields>,
  before: number,
): number | undefined {
  const { data = {} } = stepsIn(job).at(-1) ?? {}
  const last = Object.entries(data).filter(([name]) => TRAINED.includes(name))
  if (last.length === 0) return undefined
  const found = [...listed].filter(([step, metrics]) => {
    return step > before && last.every(([name, value]) => metrics[trainMetric(name)] === value)
  })
  return found.length === 1 ? found[0]![0] : undefined
}

/** Metrics that differ from step to step. */
const TRAINED: readonly string[] = ['loss', 'policy_loss', 'grad_norm']

/** What a checkpoint has besides the metrics that the emulator gives to one of such a job. */
export function extraMetrics(metrics: Fields, usual: Fields): Record<string, number> {
  const numbers = Object.entries(metrics).filter((entry): entry is [string, number] => {
    return typeof entry[1] === 'number' && Number.isFinite(entry[1])
  })
  return Object.fromEntries(
    numbers.filter(([name, value]) => {
      return usual[name.replace(/^train\//, '')] !== value
    }),
  )
}
