import type { JournalEntry } from '../engine/journal.js'
import { withoutLongRuns } from './runs.js'
import { since, formatEntry } from './format.js'
import { origin, type TestedWorld } from './world.js'

const MOST_LINES = 60

interface TraceOptions {
  /** Default: all recorded entries. */
  entries?: readonly JournalEntry[]
  /** The most lines; the latest are shown. Default: 60. */
  most?: number
}

interface Line {
  at: number
  text: string
}

/**
 * Formats what happened, in order of time. An arrow marks what an earlier line caused: request → job
 * event → delivery → receipt. Effects at the same moment follow their cause. The first line says how to
 * reproduce it.
 */
export function traceOf(world: TestedWorld, options: TraceOptions = {}): string {
  const { entries = world.journal.entries, most = MOST_LINES } = options
  const start = entries[0]?.at
  if (start === undefined) return `Nothing happened (${origin(world)}).`
  // The sort is stable: at the same moment, effects stay below their causes.
  const lines = new CausalTree(entries).lines().sort((one, other) => one.at - other.at)
  const left = lines.length - most
  return [
    `What happened (${origin(world)}):`,
    ...(left > 0 ? [`  … ${left} lines before these`] : []),
    ...lines.slice(-most).map(({ at, text }) => `  ${since(start, at)}  ${text}`),
  ].join('\n')
}

class CausalTree {
  readonly #roots: JournalEntry[] = []
  readonly #effects = new Map<number, JournalEntry[]>()

  constructor(entries: readonly JournalEntry[]) {
    for (const { id } of entries) this.#effects.set(id, [])
    for (const entry of entries) {
      const siblings = entry.cause === undefined ? undefined : this.#effects.get(entry.cause)
      const among = siblings ?? this.#roots
      among.push(entry)
    }
  }

  lines(entries: readonly JournalEntry[] = this.#roots, depth = 0): Line[] {
    const indent = depth === 0 ? '' : `${'  '.repeat(depth - 1)}→ `
    const hasEffects = ({ id }: JournalEntry): boolean => this.#effects.get(id)!.length > 0
    return withoutLongRuns(entries, hasEffects).flatMap(({ entry, more }) => [
      {
        at: entry.at,
        text: indent + (more === undefined ? '' : `… ${more} more like `) + formatEntry(entry),
      },
      ...this.lines(this.#effects.get(entry.id), depth + 1),
    ])
  }
}
