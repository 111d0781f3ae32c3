import { holdsFunction } from '../../../base/text/holds-function.js'
import type { JobRule, Scenario } from '../../scenario/scenario.js'
import { whole, type Complete } from '../saved/complete.js'
import { DEFAULT_RULE } from './rule.js'

/** The rule of a job, or its place in the scenario if it has functions, which cannot be saved. */
export type SavedRule = JobRule | RulePlace

/** The index of a rule in the scenario, or `GONE`. */
type RulePlace = number

/** In place of the index of a rule that the scenario no longer has. Its job goes on by the default rule. */
const GONE = -1

export function savedRuleOf({ jobs }: Scenario, rule: JobRule): Complete<SavedRule> {
  if (!holdsFunction(rule)) return whole(rule)
  const index = jobs.indexOf(rule)
  return index === -1 ? GONE : index
}

/** Whether a saved rule is its place in the scenario, which must have it. */
export function isPlace(saved: SavedRule): saved is RulePlace {
  return typeof saved === 'number' && !isGone(saved)
}

/** Whether a rule had functions, and the scenario had it no longer. */
export function isGone(saved: SavedRule): boolean {
  return saved === GONE
}

/** Returns the rule of a restored job. */
export function ruleOf({ jobs }: Scenario, saved: SavedRule): JobRule {
  return typeof saved === 'number' ? (jobs[saved] ?? DEFAULT_RULE) : saved
}
