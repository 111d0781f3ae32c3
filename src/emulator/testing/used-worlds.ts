import { failedBefore } from './before-restore.js'
import type { TestedWorld } from './world.js'
import { byCreation } from './world-names.js'

/** A world whose trace names it, and the worlds of its API keys. */
export interface TracedWorld extends TestedWorld {
  readonly worldName: string | null
  readonly worlds: Iterable<TracedWorld>
}

/** The worlds in which something happened, or has failed before: the world itself, and those of its API keys. */
export function usedWorlds<World extends TracedWorld>(
  world: World & { readonly worlds: Iterable<World> },
): World[] {
  const all: World[] = [world, ...world.worlds]
  const used = all.filter((each) => {
    return each.journal.entries.length > 0 || failedBefore(each).length > 0
  })
  return used.length > 0 ? used : [world]
}

/** Returns the worlds that were used last, in the order of their creation. */
export function latestWorlds<World extends Pick<TracedWorld, 'worldName'>>(
  worlds: readonly World[],
  most: number,
): World[] {
  return worlds.slice(-most).sort((one, other) => byCreation(one.worldName, other.worldName))
}
