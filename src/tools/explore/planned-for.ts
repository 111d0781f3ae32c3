import type { OwnScenario } from './exploration.js'
import { whyNot, type About } from './needs.js'
import type { ListedPart, PlannedRun } from './part.js'
import { endsWell, mayBecome } from './recoverable.js'

/** Plans a run with a scenario under its own name. Code may fail if a job of the scenario does. */
export function plannedFor({ scenario, expects }: OwnScenario): PlannedRun {
  const usual = endsWell(scenario) ? 'success' : 'any_end'
  return { name: scenario.name, scenario, expects: expects ?? usual }
}

/** A scenario for code that does what it is about. */
export type AboutScenario = OwnScenario & { readonly about: About }

/** A kind of run with scenarios that nobody else has. */
export function listedPart(all: readonly AboutScenario[]): ListedPart {
  return {
    kind: 'scenario',
    names: () => all.map(({ scenario }) => scenario.name),
    plan: ({ observed }) => {
      return all.map(({ about, ...run }) => ({
        ...plannedFor(run),
        unfit: whyNot(about, observed),
      }))
    },
    mayBecome,
  }
}
