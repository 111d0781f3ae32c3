import { counted } from '../../base/text/counted.js'
import { toIso } from '../../base/text/iso.js'
import type { JournalEntry } from '../../service/engine/journal.js'
import { formatEntry } from './format.js'
import { foldSimilar, moreText, untilText } from './similar-entries.js'
import type { Settleable } from './world.js'

/** What happened until nothing was left to do. */
export interface SettleReport {
  /** The time on the clock before, in ISO 8601. */
  readonly from: string
  /** The time on the clock after, in ISO 8601. */
  readonly to: string
  /** How many scheduled tasks ran. */
  readonly happened: number
  /** The journal entries of that time, oldest first. */
  readonly entries: readonly JournalEntry[]
  /** Formats the report for a log or a failing test. */
  toString: () => string
}

interface Since {
  from: number
  firstId: number
  happened: number
}

const MOST_LINES = 20

export function reportOn(
  { clock, journal }: Settleable,
  { from, firstId, happened }: Since,
): SettleReport {
  const entries = journal.entries.filter(({ id }) => id >= firstId)
  const span = { from: toIso(from), to: toIso(clock.now()) }
  return {
    ...span,
    happened,
    entries,
    toString() {
      const lines = foldSimilar(entries)
      const left = lines.length - MOST_LINES
      const head = `From ${span.from} to ${span.to}: ${counted(happened, 'scheduled task')} ran, ${counted(entries.length, 'journal entry', 'journal entries')}.`
      const earlier = left > 0 ? [`  … ${counted(left, 'line')} before these`] : []
      const latest = lines.slice(-MOST_LINES).map(({ entry, more, until }) => {
        const text = moreText(entry, more, formatEntry(entry))
        return `  ${toIso(entry.at)} ${text}${untilText(entry.at, until, toIso)}`
      })
      return [head, ...earlier, ...latest].join('\n')
    },
  }
}
