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

/**
 * Returns the worlds that were used last, in the order of their creation. The world of calls without a key of their own is
 * always one of them.
 *
 * @param worlds - The worlds of API keys are in the order in which they were used.
 */
export function latestWorlds<World extends Pick<TracedWorld, 'worldName'>>(
  worlds: readonly World[],
  most: number,
): World[] {
  const own = worlds.filter(({ worldName }) => worldName === null)
  const ofKeys = worlds.filter(({ worldName }) => worldName !== null)
  const latest = ofKeys.slice(Math.max(0, ofKeys.length + own.length - most))
  return [...own, ...latest].sort((one, other) => byCreation(one.worldName, other.worldName))
}
