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
export interface AboutScenario
  extends OwnScenario, Partial<Pick<ListedPart, 'mayBecome' | 'remarkOn'>> {
  readonly about: About
}

/** A kind of run with scenarios that nobody else has. */
export function listedPart(all: readonly AboutScenario[]): ListedPart {
  const rowOf = ({ name }: PlannedRun): AboutScenario | undefined => {
    return all.find(({ scenario }) => scenario.name === name)
  }
  return {
    kind: 'scenario',
    names: () => all.map(({ scenario }) => scenario.name),
    plan: ({ observed }) => {
      return all.map((row) => ({ ...plannedFor(row), unfit: whyNot(row.about, observed) }))
    },
    mayBecome: (smaller, run) => (rowOf(run)?.mayBecome ?? mayBecome)(smaller, run),
    remarkOn: (run, result) => rowOf(run)?.remarkOn?.(run, result),
  }
}
