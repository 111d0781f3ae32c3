import { engineParts, type EngineWorld } from '../service/engine/saved/engine-parts.js'
import type { AnyPart, AnyRecord } from '../service/engine/saved/saved-part.js'
import { savedNames } from '../service/engine/saved-models.js'
import { savedWebhooks } from '../webhooks/sending/saved-webhooks.js'
import type { Webhooks } from '../webhooks/sending/webhooks.js'

/** A world, as its saved parts see it. */
export interface WholeWorld extends EngineWorld {
  readonly webhooks: Webhooks
}

/** The parts of a world that are saved, in the order in which they are written. The names come last. */
export const savedParts: readonly AnyPart<AnyRecord, unknown, WholeWorld>[] = [
  ...engineParts.filter((part) => part !== savedNames),
  savedWebhooks,
  savedNames,
]

const byKind = new Map(savedParts.map((part) => [part.kind, part]))

/** Returns the part with records of a kind. Undefined if there is no such kind. */
export function partOf(kind: unknown): AnyPart | undefined {
  return byKind.get(kind as string)
}
