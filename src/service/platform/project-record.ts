/** What identifies a project. */
export interface ProjectRecord {
  readonly id: string
  /** Its number in this world, from 1. Clients ask for it. */
  readonly ordinal: number
  /** The team or the user that owns it. */
  readonly entity: string
  readonly name: string
  /** Milliseconds since the epoch, on the clock of the world. */
  readonly createdAt: number
}
