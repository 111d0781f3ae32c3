import { matchesCondition, matchesAllConditions } from '../../scenario/condition.js'
import { FINAL_STEPS } from '../../scenario/final-steps.js'
import { milliseconds } from '../../../base/text/duration.js'
import { matchesGlob } from '../../../base/text/glob.js'
import type { JobRule, TimelineStep } from '../../scenario/scenario.js'
import { holdsFunction } from '../../../base/text/holds-function.js'
import type { JobFacts } from '../../scenario/schema/jobs.js'
import type { SubmittedJob } from './submission.js'

/** The facts of a job, without those of its data. Most rules match only these. */
export type NamedFacts = Omit<JobFacts, keyof ReturnType<SubmittedJob['facts']>>

/**
 * Returns the first rule that matches, or the default rule. Computes the facts of the data only if a rule
 * needs them.
 */
export function chooseRule(
  rules: readonly JobRule[],
  named: NamedFacts,
  dataFacts: SubmittedJob['facts'],
): JobRule {
  return rules.find(({ match }) => matches(match, named, dataFacts)) ?? DEFAULT_RULE
}

const GLOBBED = ['model', 'base_model', 'entity', 'project'] as const

/** The number of sequences that a job announces if its rule does not say. */
export function announced(timeline: readonly TimelineStep[], sequences: number): number {
  const gradients = timeline.filter((step) => step.event === 'gradient_step')
  const counts = gradients.flatMap(({ count }) => count ?? [])
  const allScripted = gradients.length > 0 && counts.length === gradients.length
  return allScripted ? counts.reduce((sum, count) => sum + count, 0) : sequences
}

/**
 * Returns the rule of a job that takes some steps by another rule, and then fails.
 *
 * @param sequences - The number of sequences that the job was submitted with.
 */
export function failingRule(
  { num_sequences, timeline }: JobRule,
  sequences: number,
  { after_steps, error_message }: { after_steps: number; error_message: string },
): JobRule {
  const steps: TimelineStep[] = []
  let left = after_steps
  for (const step of timeline) {
    if (FINAL_STEPS.includes(step.event)) break
    if (step.event === 'gradient_step') {
      const { count: all = sequences } = step
      const count = Math.min(all, left)
      left -= count
      // Functions cannot be saved, and a restored job must fail, too.
      const metrics = holdsFunction(step.metrics) ? {} : step.metrics
      // The steps come as fast as if all of them did.
      const within = step.within && `${((milliseconds(step.within) * count) / all).toFixed(3)}ms`
      if (count > 0) steps.push({ ...step, within, metrics, count })
      if (left === 0) break
    } else if (step.event !== 'stall') steps.push(step)
  }
  steps.push({ event: 'training_failed', after: '1s', error_message })
  return {
    match: {},
    num_sequences: num_sequences ?? announced(timeline, sequences),
    timeline: steps,
  }
}

function matches(
  match: JobRule['match'],
  named: NamedFacts,
  dataFacts: SubmittedJob['facts'],
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
  dataFacts: SubmittedJob['facts'],
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
