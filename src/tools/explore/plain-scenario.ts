import { findProblems } from '../../service/scenario/check-scenario.js'
import { withoutNotes as withoutDescriptions } from '../../service/scenario/notes.js'
import { withoutDefaults } from '../../service/scenario/scenario-text.js'
import type { Scenario, ScenarioInput } from '../../service/scenario/scenario.js'

/** Returns a scenario without notes for people, and without what is for editors and for `svtrain-emulator play`. */
export function withoutNotes(scenario: ScenarioInput): ScenarioInput {
  const { $schema: _, play: _play, ...parts } = scenario
  return withoutDescriptions(parts as Partial<Scenario>) as ScenarioInput
}

/** The scenario as a person would write it: without defaults and notes, and not extending another one. */
export function plain(scenario: ScenarioInput): ScenarioInput {
  const checked = findProblems(scenario)
  if (!checked.ok) return scenario
  return withoutNotes(withoutDefaults(checked.scenario))
}
