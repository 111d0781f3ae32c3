import type { SortedDifferences } from './allow-list.js'
import type { RecordedDrift } from './check-recording.js'
import type { Difference } from './difference.js'

/** What `drift` found. */
export interface DriftReport extends SortedDifferences {
  /** Undefined: no document was compared. */
  readonly compared:
    | {
        readonly api: string
        readonly label: string
        readonly shared: number
        readonly differences: readonly Difference[]
      }
    | undefined
  /** Undefined: no recording was checked. */
  readonly recorded: RecordedDrift | undefined
}
