import { matchesCondition, matchesAllConditions } from '../../scenario/condition.js'
import { matchesGlob } from '../../text/glob.js'
import type { JobRule } from '../../scenario/scenario.js'
import type { JobFacts } from '../../scenario/schema/jobs.js'
import type { Submitted } from './submission.js'

/** The facts of a job, without those of its data. Most rules match only these. */
export type NamedFacts = Omit<JobFacts, keyof ReturnType<Submitted['facts']>>

/**
 * Returns the first rule that matches, or the default rule. Computes the facts of the data only if a rule
 * needs them.
 */
export function chooseRule(
  rules: readonly JobRule[],
  named: NamedFacts,
  dataFacts: Submitted['facts'],
): JobRule {
  return rules.find(({ match }) => matches(match, named, dataFacts)) ?? DEFAULT_RULE
}

const GLOBBED = ['model', 'base_model', 'entity', 'project'] as const

function matches(
  match: JobRule['match'],
  named: NamedFacts,
  dataFacts: Submitted['facts'],
): boolean {
  if (typeof match === 'function') return match({ ...named, ...dataFacts() })
  const { kind, ordinal } = match
  if (kind !== undefined && kind !== named.kind) return false
  for (const name of GLOBBED) {
    const glob = match[name]
    if (glob !== undefined && !matchesGlob(named[name], glob)) return false
  }
  if (ordinal !== undefined && !matchesCondition(named.ordinal, ordinal)) return false
  return matchesData(match, dataFacts)
}

function matchesData(
  { config = {}, data = {}, metadata }: Exclude<JobRule['match'], (facts: JobFacts) => boolean>,
  dataFacts: Submitted['facts'],
): boolean {
  if (isEmpty(config) && isEmpty(data) && metadata === undefined) return true
  const facts = dataFacts()
  if (!matchesAllConditions(facts.config, config) || !matchesAllConditions(facts.data, data))
    return false
  return (
    metadata === undefined || facts.metadata.some((each) => matchesAllConditions(each, metadata))
  )
}

function isEmpty(conditions: object): boolean {
  return Object.keys(conditions).length === 0
}

/** The rule for jobs that match no rule of the scenario. */
export const DEFAULT_RULE: JobRule = {
  match: {},
  timeline: [
    { event: 'training_started', after: '1s' },
    { event: 'gradient_step', every: '1s', within: '10s', metrics: {}, spoil: [] },
    { event: 'training_ended', after: '1s', checkpoint: true },
  ],
}
