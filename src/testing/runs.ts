import type { JournalEntry } from '../engine/journal.js'

/** Only the first and the last few entries of a longer run are shown. */
const FIRST = 2
const LAST = 2

interface Told<Entry> {
  readonly entry: Entry
  /** How many similar entries this one stands for, if they are left out. */
  readonly more?: number
}

/** Entries without the middle of long runs: of gradient steps, and of calls that changed nothing. */
export function withoutLongRuns<Entry extends JournalEntry>(
  entries: readonly Entry[],
  hasEffects: (entry: Entry) => boolean = () => false,
): Told<Entry>[] {
  return runsOf(entries, hasEffects).flatMap((run): Told<Entry>[] => {
    const left = run.length - FIRST - LAST
    const told = run.map((entry) => ({ entry }))
    if (left <= 1) return told
    return [...told.slice(0, FIRST), { ...told[FIRST]!, more: left }, ...told.slice(-LAST)]
  })
}

function runsOf<Entry extends JournalEntry>(
  entries: readonly Entry[],
  hasEffects: (entry: Entry) => boolean,
): Entry[][] {
  const runs: Entry[][] = []
  let before: string | undefined
  for (const entry of entries) {
    const kind = hasEffects(entry) ? undefined : kindOf(entry)
    if (kind !== undefined && kind === before) runs.at(-1)!.push(entry)
    else runs.push([entry])
    before = kind
  }
  return runs
}

/** What entries of one run have in common; undefined for those that are of none. */
function kindOf(entry: JournalEntry): string | undefined {
  if (entry.kind === 'job') {
    return entry.event === 'gradient_step' ? `step of ${entry.jobId}` : undefined
  }
  const routine = entry.kind === 'request' && entry.method === 'GET' && entry.effects.length === 0
  return routine ? `${entry.path} ${entry.status}` : undefined
}
