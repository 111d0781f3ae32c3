import type { Clock } from '../../base/clock/clock.js'
import type { SeededRandom } from '../../base/random/random.js'
import type { Scenario } from '../scenario/scenario.js'
import type { EngineEvents } from './engine-events.js'
import type { Journal } from './journal.js'
import type { Changes } from './saved/unsaved-changes.js'
import type { Store } from './store.js'

/** What the parts of an engine have in common of its world. */
export interface BaseWorld {
  readonly clock: Clock
  readonly random: SeededRandom
  readonly store: Store
  readonly journal: Journal
  readonly events: EngineEvents
  readonly changes: Changes
  /** Another one may follow. A job keeps the rule that it had when it was created. */
  readonly scenario: Scenario
}
