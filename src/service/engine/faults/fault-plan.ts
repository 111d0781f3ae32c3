import type { CallPlan } from '../../scenario/faults/definition.js'
import type { FaultHit } from '../journal-entry.js'

/** What a fault changes about a page of a list. */
export type PageFault = CallPlan['pages'][number]

/** Everything that goes wrong with one call, decided before it starts. */
export interface FaultPlan extends CallPlan {
  /** The faults that have an effect. */
  hits: FaultHit[]
}
