import { faultDefinition } from '../../service/scenario/faults/kinds/index.js'
import type { FaultInput, ScenarioInput } from '../../service/scenario/scenario.js'
import type { PlannedRun } from './part.js'

/** Whether a smaller scenario is as fair as that of a run. Where any end is correct, it may ask more of a client. */
export function mayBecome(smaller: ScenarioInput, { scenario, expects }: PlannedRun): boolean {
  return expects === 'any_end' || asksNoMore(smaller, scenario)
}

/**
 * Whether a smaller scenario asks no more of a client than the larger one. A fault that hits some calls must not
 * become one that hits all: no client survives that.
 */
export function asksNoMore(smaller: ScenarioInput, larger: ScenarioInput): boolean {
  if (endsWell(larger) && !endsWell(smaller)) return false
  if (isDownForGood(smaller) && !isDownForGood(larger)) return false
  if (staysOpen(smaller) && !staysOpen(larger)) return false
  const { faults = [] } = larger
  const lasting = faults.filter((each) => !isLimited(each)).map(({ fault }) => fault)
  return (smaller.faults ?? []).every((each) => isLimited(each) || lasting.includes(each.fault))
}

function isLimited({ fault, calls, during, open }: FaultInput): boolean {
  if (faultDefinition(fault).survivable) return true
  // The timeline opens it, and `staysOpen` looks at the timeline.
  if (during?.to !== undefined || open === false) return true
  if (calls === undefined) return false
  if (typeof calls === 'number' || Array.isArray(calls)) return true
  return calls.to !== undefined || (calls.every ?? 1) > 1
}

/** Whether every job ends successfully. */
export function endsWell({ jobs = [] }: ScenarioInput): boolean {
  return jobs.every(({ timeline }) => timeline.at(-1)?.event === 'training_ended')
}

/** Whether the timeline opens a fault and does not close it. */
function staysOpen({ timeline = [] }: ScenarioInput): boolean {
  const acts = timeline.map((entry) => entry.do)
  return acts.includes('open_fault') && !acts.includes('close_fault')
}

/** Whether a receiver of webhooks misses deliveries for good. */
function isDownForGood({ webhooks = [] }: ScenarioInput): boolean {
  return webhooks.some(({ adversary = [], retries = [] }) => {
    return adversary.some((rule) => {
      return rule.do === 'down' && (retries.length === 0 || rule.to === undefined)
    })
  })
}
