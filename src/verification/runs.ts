import type { JournalEntry } from '../engine/journal.js'

/** Of a longer run of the same only the first and the last few are told. */
const FIRST = 2
const LAST = 2

interface Told<Entry> {
  readonly entry: Entry
  /** Set where this stands for so many more like it. */
  readonly more?: string
}

/** Entries without the middle of long runs: of gradient steps, and of calls that changed nothing. */
export function withoutLongRuns<Entry extends JournalEntry>(
  entries: readonly Entry[],
  hasEffects: (entry: Entry) => boolean = () => false,
): Told<Entry>[] {
  const told: Told<Entry>[] = []
  for (let start = 0; start < entries.length;) {
    const kind = hasEffects(entries[start]!) ? undefined : kindOf(entries[start]!)
    let end = start + 1
    while (kind !== undefined && isLike(entries[end], kind) && !hasEffects(entries[end]!)) end++
    const run = entries.slice(start, end).map((entry) => ({ entry }))
    const left = run.length - FIRST - LAST
    if (left > 1) {
      const more = `… ${left} more like it`
      told.push(...run.slice(0, FIRST), { ...run[FIRST]!, more }, ...run.slice(-LAST))
    } else {
      told.push(...run)
    }
    start = end
  }
  return told
}

function isLike(entry: JournalEntry | undefined, kind: string): boolean {
  return entry !== undefined && kindOf(entry) === kind
}

/** What entries of one run have in common; undefined for those that are of none. */
function kindOf(entry: JournalEntry): string | undefined {
  if (entry.kind === 'job') {
    return entry.event === 'gradient_step' ? `step of ${entry.jobId}` : undefined
  }
  const routine = entry.kind === 'request' && entry.method === 'GET' && entry.effects.length === 0
  return routine ? `${entry.path} ${entry.status}` : undefined
}
