import type { engineParts } from './engine-parts.js'
import type { AnyPart } from './saved-part.js'

/**
 * One record of a saved world. A record replaces an earlier one with the same `kind` and key. The order of
 * other records says what was created first. Moments are in milliseconds since the epoch, on the clock of the
 * world.
 *
 * @internal
 */
export type WorldRecord =
  | RecordOf<(typeof engineParts)[number]>
  /** A record of the webhooks. Only they read and write its content. Null if it was deleted. */
  | { kind: 'outgoing'; key: string; kept: unknown }

type RecordOf<Part> = Part extends AnyPart<infer Saved, infer _Thing, infer _World> ? Saved : never
