/** The saved state of a timeline. Entries are indexes in the scenario. */
export interface TimelineState {
  planned: {
    entry: number
    /** Milliseconds since the epoch. */
    at: number
    trail: readonly number[]
    /** The model and the job of the event that triggered it. */
    happening?: { model: string; job?: string | undefined } | undefined
  }[]
  /** How many events each entry with `after` has seen, in the order of the entries. */
  seen: number[]
}
