import type { ModelState } from '../model.js'
import { findServedModel } from '../served-models.js'
import type { Engine } from '../engine.js'
import type { RlConfig } from './rl-config.js'

/**
 * Says what is odd about the policy that the KL penalty compares a job with. No source states what the service does
 * then, so the job trains. The limits are those of a client, which refuses them before it sends anything.
 *
 * @returns Undefined if nothing is odd.
 */
export function oddReference(
  { store, scenario, clock }: Pick<Engine, 'store' | 'scenario' | 'clock'>,
  model: ModelState,
  config: RlConfig,
): string | undefined {
  const step = config?.kl_penalty_reference_step ?? undefined
  const lag = config?.kl_penalty_step_lag ?? undefined
  const path = config?.kl_ref_adapter_path ?? undefined
  if (step !== undefined && lag !== undefined) {
    return 'kl_penalty_reference_step and kl_penalty_step_lag exclude each other'
  }
  if (step !== undefined && !model.checkpoints.at(step)) {
    return `kl_penalty_reference_step is ${step}, and the model has no such checkpoint`
  }
  if (lag !== undefined && lag < 1) {
    return `kl_penalty_step_lag is ${lag}; the least is 1`
  }
  if (path === undefined) return undefined
  const served = findServedModel({ store, scenario }, { name: path, at: clock.now() })
  return served?.kind === 'adapter'
    ? undefined
    : `kl_ref_adapter_path is ${JSON.stringify(path.slice(0, 200))}, and no checkpoint has this name`
}
