import type { ReadTrajectory } from './read-trajectory.js'

/** Two rollouts do not sample as many equal characters by chance. */
const LONG_ANSWERS = 200

/** What is in a trajectory. */
export interface ContentKey {
  readonly key: string | number
  /** Whether no two rollouts have the same. Nothing tells short answers with the same text apart. */
  readonly isDistinct: boolean
  /** Whether the ids of the responses that it was captured from identify it. */
  readonly isCaptured: boolean
}

/** Identifies a trajectory by its answers. Undefined if it has none. */
export function contentOf({ answers }: ReadTrajectory): ContentKey | undefined {
  const last = answers.at(-1)
  if (!last) return undefined
  const isCaptured = answers.every(({ completion }) => completion !== undefined)
  return {
    key: isCaptured
      ? answers.map(({ completion, choice }) => `${completion} ${choice}`).join()
      : last.hashes.through,
    isDistinct: isCaptured || lengthOf(answers) >= LONG_ANSWERS,
    isCaptured,
  }
}

/** The number of characters of answers. */
export function lengthOf(answers: ReadTrajectory['answers']): number {
  return answers.reduce((sum, { text }) => sum + text.length, 0)
}
