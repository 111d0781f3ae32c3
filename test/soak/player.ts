import { setTimeout as pause } from 'node:timers/promises'
import type { Draw } from '../support/draw.js'
import type { Ledger } from './ledger.js'
import type { Line } from './line.js'
import type { Receivers } from './receivers.js'
import type { World } from './world.js'

/** One of those who take part, for a round. */
export interface Player {
  readonly who: string
  readonly draws: Draw
  readonly ledger: Ledger
  readonly receivers: Receivers
  /** Where all keys share a world. */
  readonly shared: World
  /** A line to a world; by default to the shared one. */
  line: (world?: World) => Line
  /** A world of its own, behind a key that nobody else has. */
  ownWorld: (key: string) => World
  /** Whether the round is over, or about to be. */
  readonly ended: AbortSignal
}

/** Does one thing from its beginning to its end; called again and again. */
export type Part = (player: Player) => Promise<void>

/** A short while, shorter where the round ends. */
export async function rest({ draws, ended }: Player, longest = 60): Promise<void> {
  await pause(1 + draws.below(longest), undefined, { signal: ended }).catch(() => {})
}
