import { firstOf } from '../../base/text/counted.js'

/** The most worlds that are named. */
const MOST_NAMED = 5

/** The worlds of API keys beside the world of all other calls. None, if all keys share one world. */
interface WithWorlds<World> {
  readonly worlds?: Iterable<World & { readonly worldName?: string | null }>
}

/**
 * Says in which worlds of API keys something is, for a failure that did not find it in the world of all other calls.
 *
 * @param what What it is, in the plural: `Jobs`.
 * @returns A sentence without its full stop. Undefined if no world has it.
 */
export function otherWorldsText<World>(
  what: string,
  { worlds = [] }: WithWorlds<World>,
  hasIt: (world: World) => boolean,
): string | undefined {
  const names = [...worlds].flatMap((world) => {
    return world.worldName && hasIt(world) ? [world.worldName] : []
  })
  if (names.length === 0) return undefined
  return `${what} are in ${firstOf(names, MOST_NAMED)}: use emulator.world() with the API key of their client`
}
