import type { Allowance } from './allowance.js'
import type { ExplorePlan } from './exploration.js'
import type { PlannedTrial } from './part.js'
import { findsOf } from './ranking.js'

/** How many runs a plan names. */
const MOST_NAMED = 5

const ONE_JOB =
  'The code creates one job, so kills tell little about how it goes on from a step. Let it take more steps, such as three.'

/** What is known after the first run. */
interface PlanFacts {
  readonly allowance: Allowance
  readonly parallel: number
  /** Milliseconds that the first run took. */
  readonly took: number
  /** The runs whose names are known, in their order. */
  readonly named: readonly PlannedTrial[]
  /** Whether there is always another run. */
  readonly isEndless: boolean
  /** With kills, the first run comes once more. */
  readonly compares: boolean
  /** How many jobs the code creates. */
  readonly jobs: number
}

/** Says what will be tried. Undefined if nothing is planned, and `no time` if nothing of it can end in time. */
export function planOf(facts: PlanFacts): ExplorePlan | 'no time' | undefined {
  const { allowance, parallel, took, compares, jobs } = facts
  const again = compares ? 1 : 0
  const left = Math.max(0, allowance.left - again)
  const runs = facts.named.slice(0, left)
  const planned = facts.isEndless ? left : runs.length
  if (planned === 0) return undefined
  const { time, elapsed } = allowance
  const room = time - elapsed - again * allowance.expected()
  const next = allowance.expected({ isKilled: runs[0]?.kill !== undefined })
  // The first run may be the slow one: it imports. So if there is a second one, it decides.
  if (compares ? room < 0 : next > room) return 'no time'
  return {
    took,
    time,
    planned,
    fits: Math.min(planned, Math.max(1, Math.floor(room / next)) * parallel),
    first: runs.slice(0, MOST_NAMED).map(({ name }) => {
      const finds = findsOf(name)
      return { name, ...(finds !== undefined && { finds }) }
    }),
    ...(compares && jobs === 1 && { limit: ONE_JOB }),
  }
}
