import { faultDefinition } from '../../service/scenario/faults/kinds/index.js'
import type { FaultInput, ScenarioInput } from '../../service/scenario/scenario.js'

/**
 * Whether a smaller scenario asks no more of a client than the larger one. A fault that hits some calls must not
 * become one that hits all: no client survives that.
 */
export function asksNoMore(smaller: ScenarioInput, larger: ScenarioInput): boolean {
  if (endsWell(larger) && !endsWell(smaller)) return false
  if (isDownForGood(smaller) && !isDownForGood(larger)) return false
  if (staysOpen(smaller) && !staysOpen(larger)) return false
  if ((larger.faults ?? []).some((fault) => !isLimited(fault))) {
    const allowed = new Set((larger.faults ?? []).filter((each) => !isLimited(each)).map(kindOf))
    return (smaller.faults ?? []).every((fault) => isLimited(fault) || allowed.has(kindOf(fault)))
  }
  return (smaller.faults ?? []).every(isLimited)
}

function isLimited({ fault, calls, during, open }: FaultInput): boolean {
  if (faultDefinition(fault).survivable) return true
  // The timeline opens it, and `staysOpen` looks at the timeline.
  if (during?.to !== undefined || open === false) return true
  if (calls === undefined) return false
  if (typeof calls === 'number' || Array.isArray(calls)) return true
  return calls.to !== undefined || (calls.every ?? 1) > 1
}

function kindOf({ fault }: FaultInput): string {
  return fault
}

/** Whether every job ends successfully. */
function endsWell({ jobs = [] }: ScenarioInput): boolean {
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
