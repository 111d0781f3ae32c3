import { builtInScenario, DEFAULT_SCENARIO } from '../../../service/scenario/built-in-scenarios.js'
import { isUnawaited } from '../../../service/contract/operation-names.js'
import { isBeside } from '../crash/armed-kill.js'
import { formatKill, type Kill } from '../crash/kill.js'
import type { Work } from '../crash/work.js'
import type { DrawnPart } from '../part.js'
import { mostTellingFirst } from '../ranking.js'

/** Kills of the program, each followed by another start in the same world. */
export const crashes: DrawnPart = {
  kind: 'crashes',
  share: 0.3,
  counted: ['kill', 'kills'],
  isOptional: true,
  isFinite: true,
  *plan({ observed: { work }, kills = work ? killsFor(work) : [] }) {
    const scenario = builtInScenario(DEFAULT_SCENARIO)
    for (const kill of kills) {
      yield {
        name: killName(kill),
        scenario,
        expects: 'success',
        kill,
        compares: true,
      }
    }
  },
  // The kill is what fails. Its scenario has nothing that could be left out.
  mayBecome: () => false,
}

function killName(kill: Kill): string {
  return `crashes ${formatKill(kill)}`
}

const MOMENTS = ['before', 'after'] as const

/**
 * Plans kills at the first, a middle and the last call of each operation, before and after the answer. Their number
 * depends on how many operations a program uses, not on how often it calls them.
 */
export function killsFor({ calls, lastCall }: Pick<Work, 'calls' | 'lastCall'>): Kill[] {
  const operations = Object.keys(calls).filter((operation) => !isUnawaited(operation))
  operations.sort((one, other) => {
    return Number(isBeside(one)) - Number(isBeside(other)) || (one < other ? -1 : 1)
  })
  const kills = operations.flatMap((operation) => {
    const last = calls[operation]!
    // In the middle, a program has something to lose, and something left to do.
    const places = [...new Set([Math.ceil((last + 1) / 2), last, 1])]
    return places.flatMap((call, place) =>
      MOMENTS.filter((moment) => {
        // Nothing comes after the last call at which the program could be killed.
        return moment === 'before' || operation !== lastCall || call !== last
      }).map((moment) => {
        const kill: Kill = { operation, call, moment }
        return { place, kill, name: killName(kill) }
      }),
    )
  })
  // The middles of all operations come first, because there may not be time for all kills.
  const order = mostTellingFirst(kills).sort((one, other) => one.place - other.place)
  return order.map(({ kill }) => kill)
}
