import type { ListedPart } from '../part.js'
import { plannedFor } from '../planned-for.js'
import { mayBecome } from '../recoverable.js'

/** The scenarios of the user. */
export const ownScenarios: ListedPart = {
  kind: 'scenario',
  names: (own) => own.map(({ scenario }) => scenario.name),
  mayTakeAll: true,
  plan: ({ own }) => own.map(plannedFor),
  mayBecome,
}
