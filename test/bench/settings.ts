export interface Settings {
  /** Fewer and shorter rounds, and smaller sizes. */
  quick: boolean
  rounds: number
}

/** How long a server is asked in a round, and by how many at once. */
export function roundOf({ quick }: Settings): { connections: number; ms: number } {
  return { connections: 32, ms: quick ? 300 : 1000 }
}
