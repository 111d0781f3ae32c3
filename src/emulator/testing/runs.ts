import type { JournalEntry } from '../../service/engine/journal.js'

/** Only the first and the last few entries of a longer run are shown. */
export const FIRST = 2
const LAST = 2

interface Line<Entry> {
  readonly entry: Entry
  /** How many similar entries this one stands for, if they are left out. */
  readonly more?: number
}

/** Leaves out the middle of long runs of gradient steps and of requests without effects. */
export function withoutLongRuns<Entry extends JournalEntry>(
  entries: readonly Entry[],
  hasEffects: (entry: Entry) => boolean = () => false,
): Line<Entry>[] {
  return runsOf(entries, hasEffects).flatMap((run): Line<Entry>[] => {
    const left = run.length - FIRST - LAST
    const lines = run.map((entry) => ({ entry }))
    if (left <= 1) return lines
    return [...lines.slice(0, FIRST), { ...lines[FIRST]!, more: left }, ...lines.slice(-LAST)]
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

/** Returns a text that all entries of one run share; undefined if the entry belongs to no run. */
export function kindOf(entry: JournalEntry): string | undefined {
  if (entry.kind === 'job') {
    return entry.event === 'gradient_step' ? `step of ${entry.jobId}` : undefined
  }
  const routine = entry.kind === 'request' && entry.method === 'GET' && entry.effects.length === 0
  return routine ? `${entry.path} ${entry.status}` : undefined
}
