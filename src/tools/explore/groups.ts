import type { ScenarioInput } from '../../service/scenario/scenario.js'
import type { Mistake } from './judge.js'
import type { PlannedTrial } from './part.js'
import { plain } from './plain-scenario.js'
import { rankOf } from './ranking.js'
import { isSmaller, sizeOf, type Size } from './scenario-size.js'

/** Runs that failed in the same way. */
export interface Group {
  readonly number: number
  /** The first of them is the one that is shown. */
  readonly runs: number[]
  /** The plan of that run: it has the simplest scenario, or the most telling kill. */
  readonly planned: PlannedTrial
  /** The mistake as that run showed it. */
  readonly mistake: Mistake
}

/** The failures of an exploration, each with its runs. */
export class Groups {
  readonly #bySignature = new Map<string, Group>()
  readonly #sizes = new Map<ScenarioInput, Size>()

  /** In the order in which they were found. */
  get all(): Group[] {
    return [...this.#bySignature.values()]
  }

  /** Adds a run to those that failed like this. */
  add(mistake: Mistake, planned: PlannedTrial, run: number): Group {
    const found = this.#bySignature.get(mistake.signature)
    if (found && !this.#tellsMore(planned, found.planned)) {
      found.runs.push(run)
      return found
    }
    const { number = this.#bySignature.size + 1, runs = [] } = found ?? {}
    const group = { number, mistake, runs: [run, ...runs], planned }
    this.#bySignature.set(mistake.signature, group)
    return group
  }

  #tellsMore({ name, scenario, kill }: PlannedTrial, other: PlannedTrial): boolean {
    if (kill && other.kill) {
      return (rankOf(name) - rankOf(other.name) || kill.call - other.kill.call) < 0
    }
    return isSmaller(this.#sizeOf(scenario), this.#sizeOf(other.scenario))
  }

  #sizeOf(scenario: ScenarioInput): Size {
    const size = this.#sizes.get(scenario) ?? sizeOf(plain(scenario))
    this.#sizes.set(scenario, size)
    return size
  }
}
