import { satisfies, satisfyAll } from './condition.js'
import { fitsGlob } from './glob.js'
import type { JobRule } from './scenario.js'
import type { JobFacts } from './scenario-schema/jobs.js'

/** The first rule that matches, or the default one. */
export function chooseRule(rules: readonly JobRule[], facts: JobFacts): JobRule {
  return rules.find(({ match }) => matches(match, facts)) ?? DEFAULT_RULE
}

const GLOBBED = ['model', 'base_model', 'entity', 'project'] as const

function matches(match: JobRule['match'], facts: JobFacts): boolean {
  if (typeof match === 'function') return match(facts)
  const { kind, ordinal, config = {}, data = {}, metadata } = match
  if (kind !== undefined && kind !== facts.kind) return false
  for (const name of GLOBBED) {
    const glob = match[name]
    if (glob !== undefined && !fitsGlob(facts[name], glob)) return false
  }
  if (ordinal !== undefined && !satisfies(facts.ordinal, ordinal)) return false
  if (!satisfyAll(facts.config, config) || !satisfyAll(facts.data, data)) return false
  return metadata === undefined || facts.metadata.some((each) => satisfyAll(each, metadata))
}

const DEFAULT_RULE: JobRule = {
  match: {},
  timeline: [
    { event: 'training_started', after: '1s' },
    { event: 'gradient_step', every: '1s', within: '10s', metrics: {}, spoil: [] },
    { event: 'training_ended', after: '1s', checkpoint: true },
  ],
}
