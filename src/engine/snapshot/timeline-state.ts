/** What a timeline remembers: its entries by their places in the scenario. */
export interface TimelineState {
  planned: {
    entry: number
    /** Milliseconds since the epoch. */
    at: number
    trail: readonly number[]
    /** What it follows, by the ids of what that happened to. */
    happening?: { model: string; job?: string | undefined } | undefined
  }[]
  /** How many events each entry has heard that follows some, in order. */
  seen: number[]
}
