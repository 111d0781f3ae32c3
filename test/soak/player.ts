import { setTimeout as pause } from 'node:timers/promises'
import type { Draw } from '../support/draw.js'
import type { Ledger } from './ledger.js'
import type { Line } from './line.js'
import type { Receivers } from './receivers.js'
import type { World } from './world.js'

/** A client that takes part in a round. */
export interface Player {
  readonly who: string
  readonly draws: Draw
  readonly ledger: Ledger
  readonly receivers: Receivers
  /** The world that all keys share. */
  readonly shared: World
  /** Opens a line to a world. By default to the shared one. */
  line: (world?: World) => Line
  /** The client's own world, with a separate key. */
  ownWorld: (key: string) => World
  /** Aborted when the round ends. */
  readonly ended: AbortSignal
}

/** Does one complete piece of work. Called repeatedly. */
export type Part = (player: Player) => Promise<void>

/** Waits for a short random time, at most until the round ends. */
export async function rest({ draws, ended }: Player, longest = 60): Promise<void> {
  await pause(1 + draws.below(longest), undefined, { signal: ended }).catch(() => {})
}
