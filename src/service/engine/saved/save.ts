import type { UnsavedChanges } from './unsaved-changes.js'
import type { AnyPart, AnyRecord, SavedThing } from './saved-part.js'

/** A world, and the list of its parts, in the order in which they are written. */
export interface SavableWorld<World> {
  readonly parts: readonly AnyPart<AnyRecord, unknown, World>[]
  readonly world: World
}

/**
 * Makes the records of the whole world. Each one is made when it is read, because those of a whole world may need
 * much memory. If the world changes in between, read the records of the changes as well, after these.
 */
export function* wholeWorld<World>({
  parts,
  world,
}: SavableWorld<World>): Generator<AnyRecord, void> {
  for (const part of parts) yield* recordsIn(part, part.all(world), world)
}

/**
 * Makes the records of everything that changed.
 *
 * @param options.hasMoved Whether the world was restored at another time than it was saved: what is still to come has
 * other moments.
 */
export function changedWorld<World>(
  { parts, world }: SavableWorld<World>,
  changed: UnsavedChanges,
  { hasMoved }: { hasMoved: boolean },
): AnyRecord[] {
  return parts.flatMap((part) => {
    if (part.everyTime) return [...recordsIn(part, part.all(world), world)]
    const moved = hasMoved ? (part.moved?.(world) ?? []) : []
    return [...recordsIn(part, [...moved, ...(changed.parts.get(part) ?? [])], world)]
  })
}

function* recordsIn<World>(
  part: AnyPart<AnyRecord, unknown, World>,
  things: Iterable<SavedThing>,
  world: World,
): Generator<AnyRecord, void> {
  for (const [id, thing] of things) {
    if (part.records) yield* part.records(thing, id, world)
    else {
      const key = part.isOne ? undefined : { key: id }
      yield { kind: part.kind, ...key, ...part.content!(thing, id, world) }
    }
  }
}
