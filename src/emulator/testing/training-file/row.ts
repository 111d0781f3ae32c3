import type { TrajectoryGroup } from '../../../service/contract/trajectory.js'

/** What the rows of a file can be, in words for errors. */
export const rowShapes = {
  bodies: 'a body with "trajectory_groups"',
  groups: 'a group with "trajectories"',
  trajectories: 'a trajectory with "messages_and_choices"',
  exported: 'an exported row with "messages" and "group_index"',
  stored: 'a stored row with "trajectory_json" and "group_index"',
  sft: 'an SFT row with "messages"',
} as const

/** What a row of a file of training data is. */
export type RowShape = keyof typeof rowShapes

/** What follows from the shape of a row. */
interface ShapeFacts {
  /** Whether it is an SFT row, which has no rewards, and no answers that were sampled. */
  readonly isExample: boolean
  /** Whether it is known which trajectories are one group. */
  readonly hasGroups: boolean
  /** Whether it is all that a job trains. */
  readonly isWholeJob: boolean
  /** The indices that lead to a trajectory in it. */
  readonly indices: readonly ('group' | 'trajectory')[]
}

export const shapeFacts: Readonly<Record<RowShape, ShapeFacts>> = {
  bodies: { isExample: false, hasGroups: true, isWholeJob: true, indices: ['group', 'trajectory'] },
  groups: { isExample: false, hasGroups: true, isWholeJob: false, indices: ['trajectory'] },
  trajectories: { isExample: false, hasGroups: false, isWholeJob: false, indices: [] },
  exported: { isExample: false, hasGroups: true, isWholeJob: false, indices: [] },
  stored: { isExample: false, hasGroups: true, isWholeJob: false, indices: [] },
  sft: { isExample: true, hasGroups: false, isWholeJob: false, indices: [] },
}

/** A row of a file of training data. */
export interface Row {
  readonly shape: RowShape
  readonly groups: readonly TrajectoryGroup[]
  /** Whether answers without log probabilities contribute nothing. Undefined if the row does not say. */
  readonly needsLogprobs?: boolean | undefined
  /** What may be wrong with a row that a job accepts. */
  readonly doubts?: readonly string[]
  /** The number of the group that a row belongs to, if rows of a group follow each other. */
  readonly groupIndex?: unknown
}

/** Why a line cannot be used. */
export interface UnusableRow {
  readonly problem: string
  /** Whether the row was read, and the service would refuse it. */
  readonly isRefused?: true
  /** What of it can be read. */
  readonly rest?: Row
}
