import type { OwnScenario } from './exploration.js'
import type { PlannedRun } from './part.js'
import { endsWell } from './recoverable.js'

/** Plans a run with a scenario under its own name. Code may fail if a job of the scenario does. */
export function plannedFor({ scenario, expects }: OwnScenario): PlannedRun {
  const usual = endsWell(scenario) ? 'success' : 'any_end'
  return { name: scenario.name, scenario, expects: expects ?? usual }
}
