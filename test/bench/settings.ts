export interface Settings {
  /** Fewer and shorter rounds, and smaller sizes. */
  quick: boolean
  rounds: number
  /** How long the dashboard is open under load. */
  minutes: number
  /** How many calls a process has answered when its memory is compared with that of other versions. */
  calls: number
  /** The commits that this tree is compared with. */
  bases: readonly string[]
}
