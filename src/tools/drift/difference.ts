/**
 * `breaking`: code that works with the emulator can fail with the service. `additive`: the service can do more
 * than the emulator, or the other way round, and such code still works. `cosmetic`: words for people.
 */
export type Severity = 'breaking' | 'additive' | 'cosmetic'

/** A difference between the document of the service and what the emulator serves. */
export interface Difference {
  /** Its kind and its place. The same difference has the same id in each run. */
  readonly id: string
  /** What kind of difference it is, such as `field-added`. */
  readonly kind: string
  readonly severity: Severity
  /** `POST /v1/preview/training-jobs → request → trajectory_groups[].trajectories[].reward` */
  readonly place: string
  /** What the service has, and what the emulator has. */
  readonly what: string
  /** Who would notice. */
  readonly who: string
  /** Equal for differences with one cause: a schema that several operations use. */
  readonly origin?: string
}

/** Whether a client sends the part, or reads it. */
export type Side = 'request' | 'response'

/** How the values of the service relate to those of the emulator. */
export type Relation = 'wider' | 'narrower' | 'other'

/**
 * A client can fail if the service refuses what the emulator accepts, or returns what the emulator never
 * returns.
 */
export function severityOf(side: Side, relation: Relation): Severity {
  if (relation === 'other') return 'breaking'
  return (side === 'request') === (relation === 'narrower') ? 'breaking' : 'additive'
}

export function clientsThat(side: Side, what = 'it'): string {
  return `clients that ${side === 'request' ? 'send' : 'read'} ${what}`
}
