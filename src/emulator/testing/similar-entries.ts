import { isOfSdk } from '../../service/contract/operation-names.js'
import type {
  JournalEntry,
  RecordChange,
  RequestEntry,
} from '../../service/engine/journal-entry.js'

/** Of many similar entries in a row, only the first and the last few are shown. */
export const FIRST = 2
const LAST = 2

interface Line<Entry> {
  readonly entry: Entry
  /** How many similar entries this one stands for, if they are left out. */
  readonly more?: number
  /** When the last of those happened, in milliseconds since the epoch. */
  readonly until?: number
}

/** Leaves out the middle of many gradient steps in a row, and of equal requests that caused nothing. */
export function foldSimilar<Entry extends JournalEntry>(
  entries: readonly Entry[],
  hasEffects: (entry: Entry) => boolean = () => false,
): Line<Entry>[] {
  return similarInARow(entries, hasEffects).flatMap((row): Line<Entry>[] => {
    const left = row.length - FIRST - LAST
    const lines = row.map((entry) => ({ entry }))
    if (left <= 1) return lines
    const until = row.at(-LAST - 1)!.at
    const folded = { ...lines[FIRST]!, more: left, until }
    return [...lines.slice(0, FIRST), folded, ...lines.slice(-LAST)]
  })
}

/** Entries beside each other that are similar are one row. */
function similarInARow<Entry extends JournalEntry>(
  entries: readonly Entry[],
  hasEffects: (entry: Entry) => boolean,
): Entry[][] {
  const rows: Entry[][] = []
  let before: string | undefined
  for (const entry of entries) {
    const kind = hasEffects(entry) ? undefined : kindOf(entry)
    if (kind !== undefined && kind === before) rows.at(-1)!.push(entry)
    else rows.push([entry])
    before = kind
  }
  return rows
}

/** Returns a text that similar entries share; undefined if an entry is always shown. */
export function kindOf(entry: JournalEntry): string | undefined {
  if (entry.kind === 'job') {
    if (entry.event !== 'gradient_step') return undefined
    // A step whose loss is no number is what somebody looks for.
    const isOdd = entry.step?.metrics.some(([, value]) => !Number.isFinite(value))
    return `${isOdd ? 'odd step' : 'step'} of ${entry.jobId}`
  }
  if (entry.kind !== 'request') return undefined
  if (isQuiet(entry)) return OF_PLATFORM
  const { method, path, status, lost, detail, hint, answer, effects } = entry
  // Two answers of one model rarely have the same length.
  const others = effects.filter((effect) => effect !== answer?.effect)
  return JSON.stringify([method, path, status, lost, detail, hint, answer?.by, others])
}

/**
 * Says what a line stands for.
 *
 * @param more - How many entries are left out. One of them is `entry`, whose text is `text`.
 */
export function moreText(entry: JournalEntry, more: number | undefined, text: string): string {
  if (more === undefined) return text
  return kindOf(entry) === OF_PLATFORM
    ? `… ${more} more ${OF_PLATFORM}`
    : `… ${more} more like ${text}`
}

/**
 * Says when the last of the entries happened that a line stands for: lines below may be earlier. Empty if it is no other
 * time.
 *
 * @param since - Formats a time.
 */
export function untilText(
  at: number,
  until: number | undefined,
  since: (at: number) => string,
): string {
  return until === undefined || until === at ? '' : `, until ${since(until)}`
}

/** What clients of runs and artifacts send while a program works: queries, logged lines and contents. */
const OF_PLATFORM = 'calls for runs and artifacts'

/** What such a call does all the time. Any other change is news, such as a run that failed. */
const USUAL_CHANGES: readonly RecordChange['type'][] = ['metrics_logged', 'content_stored']

/** An error of GraphQL has the status 200, and is the detail. */
function isQuiet(entry: RequestEntry): boolean {
  const { status, operation = '', lost, detail, faults, changes } = entry
  if (status !== 200 || lost !== undefined || detail !== undefined) return false
  if (!isOfSdk(operation) || faults.length > 0) return false
  return changes.every(({ type }) => USUAL_CHANGES.includes(type))
}
