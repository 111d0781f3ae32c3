import { jobCreations } from '../../service/contract/operation-names.js'
import { fieldsOf, isAccepted, type Exchange } from './exchanges.js'
import type { SeenJob, SeenModel } from './seen-job.js'
import { lostChanges } from './unknown-effects.js'

/** A job that a call created without an answer. */
export interface HiddenJob {
  readonly call: Exchange
  /** Whether only the user says so. */
  readonly isAssumed?: true
  /** When a list had its checkpoint, before the next job was created. */
  readonly listedAt?: number
}

/** A call that may have created a job: its answer was lost, or a gateway answered in place of the service. */
export function mayHaveCreated(exchange: Exchange, { id }: SeenModel): boolean {
  const { operation = '', sent, status } = exchange
  if (!jobCreations.includes(operation) || fieldsOf(sent)['model_id'] !== id) return false
  return !isAccepted(exchange) && (status === undefined || status >= 500)
}

/** What is known of calls without an answer. */
interface JobsOfLostCalls {
  /** The jobs that they created, by the id of the next job of the same model. */
  readonly hiddenJobs: Map<string, readonly HiddenJob[]>
  /** Those that took effect. */
  readonly worked: Set<Exchange>
}

/** Adds the calls without an answer. A job that one of them created came before the next one of its model. */
export function assumeLost(
  exchanges: readonly Exchange[],
  jobs: readonly SeenJob[],
  { worked, hiddenJobs }: JobsOfLostCalls,
): void {
  for (const call of lostChanges(exchanges)) {
    if (worked.has(call) || isMadeLater(call, exchanges)) continue
    worked.add(call)
    const { operation = '', sent, sentAt } = call
    const next = jobs.find(({ model, createdAt }) => {
      return model !== undefined && model.id === fieldsOf(sent)['model_id'] && createdAt >= sentAt
    })
    if (!next || !jobCreations.includes(operation)) continue
    const hidden = [...(hiddenJobs.get(next.id) ?? []), { call, isAssumed: true as const }]
    hiddenJobs.set(
      next.id,
      hidden.sort((one, other) => one.call.id - other.call.id),
    )
  }
}

/** Whether a later call created the model, so that this one did not. */
function isMadeLater({ id, operation, sent }: Exchange, exchanges: readonly Exchange[]): boolean {
  const { name, project, return_existing } = fieldsOf(sent)
  if (operation !== 'createModel' || return_existing === true) return false
  return exchanges.some((later) => {
    const same = fieldsOf(later.sent)
    const isSame = later.operation === operation && same['name'] === name
    return isSame && same['project'] === project && later.id > id && isAccepted(later)
  })
}
