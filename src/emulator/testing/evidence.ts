import type { TrajectoryPlace } from '../../service/engine/lineage/trained-job.js'

/** A place in the training data of a job where a check found something. */
export interface Evidence {
  readonly place: Omit<TrajectoryPlace, 'trajectory'> & Partial<TrajectoryPlace>
  /** The index in the messages of the trajectory. */
  readonly turn?: number | undefined
  /** What is there. */
  readonly what?: string | undefined
  /** The part of that which quotes an answer. */
  readonly quote?: string | undefined
  /** The trajectory that was the same before. */
  readonly earlier?: TrajectoryPlace | undefined
}

/** Names a trajectory: `job 1f2e3d4c, group 0, trajectory 1`. */
function placeText({ job, group, trajectory }: Evidence['place']): string {
  const within = trajectory === undefined ? '' : `, trajectory ${trajectory}`
  return `job ${job.slice(0, 8)}, group ${group}${within}`
}

/** Says where the same was before, and what else there is to say about it. */
export function earlierText(place: string, what: string | undefined): string {
  return `as ${place}${what === undefined ? '' : `, ${what}`}`
}

export function formatEvidence({ place, turn, earlier, what }: Evidence): string {
  const at = turn === undefined ? '' : `, turn ${turn}`
  const said = earlier ? earlierText(placeText(earlier), what) : what
  return `${placeText(place)}${at}${said === undefined ? '' : ` (${said})`}`
}
