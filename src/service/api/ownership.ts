import type { Engine } from '../engine/engine.js'
import type { Job } from '../engine/jobs/job.js'
import type { ModelState } from '../engine/model.js'
import { entityIn } from '../engine/served-models.js'
import type { Account } from '../scenario/account.js'

/** Who calls, and the world that the call is for. */
interface Caller {
  readonly engine: Engine
  readonly account: Account
}

/**
 * Whether the key of a call may use what an entity owns. It always may, unless the scenario separates entities. See
 * docs/explain/contract.md#undocumented.
 */
export function mayUse({ engine, account }: Caller, entity: string): boolean {
  return !engine.scenario.auth.separateEntities || entity === account.entity
}

/**
 * Whether the key of a call may name an artifact in a request. It may not if the artifact would belong to
 * another entity, whether it exists or not: the answer must not tell.
 */
export function mayName(caller: Caller, name: string | null | undefined): boolean {
  const entity = entityIn(name ?? '')
  return entity === undefined || mayUse(caller, entity)
}

/** The model with an id. Undefined if there is none that the key may use. */
export function findModel(caller: Caller, id: string): ModelState | undefined {
  const model = caller.engine.store.model(id)
  return model && mayUse(caller, model.record.entity) ? model : undefined
}

/** The job with an id. Undefined if there is none that the key may use. */
export function findJob(caller: Caller, id: string): Job | undefined {
  const job = caller.engine.store.jobs.get(id)
  return job && mayUse(caller, job.model.entity) ? job : undefined
}
