import { milliseconds } from '../../base/text/duration.js'
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
  const open = leftOpen(larger)
  if ([...leftOpen(smaller)].some((name) => !open.has(name))) return false
  const { faults = [] } = larger
  const lasting = faults.filter((each) => !isLimited(each)).map(({ fault }) => fault)
  return (smaller.faults ?? []).every((each) => isLimited(each) || lasting.includes(each.fault))
}

function isLimited({ fault, calls, during, open }: FaultInput): boolean {
  if (faultDefinition(fault).survivable) return true
  // The timeline opens it, and `leftOpen` looks at the timeline.
  if (during?.to !== undefined || open === false) return true
  if (calls === undefined) return false
  if (typeof calls === 'number' || Array.isArray(calls)) return true
  return calls.to !== undefined || (calls.every ?? 1) > 1
}

/** Whether every job ends successfully. */
export function endsWell({ jobs = [] }: ScenarioInput): boolean {
  return jobs.every(({ timeline }) => timeline.at(-1)?.event === 'training_ended')
}

/** The names of the faults that the timeline opens and does not close later, as far as its times tell. */
function leftOpen({ timeline = [] }: ScenarioInput): Set<string> {
  const closings = timeline.filter((entry) => entry.do === 'close_fault')
  const left = timeline
    .filter((entry) => entry.do === 'open_fault')
    .filter((opening) => {
      const own = closings.filter(({ fault }) => fault === opening.fault)
      return !own.some((closing) => mayFollow(closing, opening))
    })
  return new Set(left.map(({ fault }) => fault))
}

type Entry = NonNullable<ScenarioInput['timeline']>[number]

/** Whether an entry comes at the same time as another one or later. Those after events may. */
function mayFollow(entry: Entry, other: Entry): boolean {
  if (entry.at === undefined || other.at === undefined) return true
  return milliseconds(entry.at) >= milliseconds(other.at)
}

/** Whether a receiver of webhooks misses deliveries for good. */
function isDownForGood({ webhooks = [] }: ScenarioInput): boolean {
  return webhooks.some(({ adversary = [], retries = [] }) => {
    return adversary.some((rule) => {
      return rule.do === 'down' && (retries.length === 0 || rule.to === undefined)
    })
  })
}
