import { builtInScenario } from '../../../src/service/scenario/built-in-scenarios.js'
import { checkScenario } from '../../../src/service/scenario/check-scenario.js'
import { createEmulator } from '../../../src/index.js'
import type { ScenarioInput } from '../../../src/service/scenario/scenario.js'
import { play } from '../../../src/tools/play/player.js'
import type { PlayCall, PlayReport } from '../../../src/tools/play/report.js'

/** Plays a built-in scenario, or a scenario of the test. */
export function played(scenario: string | Omit<ScenarioInput, 'name'>): Promise<PlayReport> {
  const chosen =
    typeof scenario === 'string'
      ? builtInScenario(scenario)
      : checkScenario({ name: 'own', ...scenario })
  return play(createEmulator({ scenario: chosen, clock: 'manual' }))
}

export function callsOf({ timeline }: PlayReport): PlayCall[] {
  return timeline.flatMap((entry) => (entry.kind === 'call' ? [entry.call] : []))
}

export function troubledCalls(report: PlayReport): PlayCall[] {
  return callsOf(report).filter(({ result }) => result !== 'answered')
}

export function remarks({ timeline }: PlayReport): string[] {
  return timeline.flatMap((entry) => (entry.kind === 'remark' ? [entry.text] : []))
}
