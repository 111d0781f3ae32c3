import type { Run } from './run.js'

/** Lines of one stream of a run, from a place on. */
export interface WrittenLines {
  readonly offset: number
  readonly lines: readonly string[]
}

/** What a program logs at once. */
export interface RunLog {
  /** The program, if several share the run. Each counts its own lines. Default: one program. */
  readonly writer?: string | undefined
  readonly history?: WrittenLines | undefined
  readonly events?: WrittenLines | undefined
  readonly output?: WrittenLines | undefined
  /** A JSON object as text. */
  readonly summary?: string | undefined
  /** Whether the machine of the program will be taken away. */
  readonly preempting?: boolean | undefined
  /** Whether the program is over. */
  readonly complete?: boolean | undefined
  readonly exitCode?: number | undefined
}

/** Whether lines take the place of those that are there: a program that opened its run again writes from the start. */
export function replaces({ isReopened }: Run, offset: number): boolean {
  return isReopened && offset === 0
}

/** The lines that a history does not have yet. A program sends a part again if it got no answer. */
export function newLines(
  run: Run,
  { offset, lines }: WrittenLines = { offset: 0, lines: [] },
): WrittenLines {
  const known = replaces(run, offset) ? 0 : run.history.length
  return { offset: Math.max(offset, known), lines: lines.slice(Math.max(0, known - offset)) }
}
