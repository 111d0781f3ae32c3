import { cancelTimer, startTimer, wallNow, type WallTimer } from '../base/clock/wall.js'
import { FIRST, kindOf, foldSimilar } from '../emulator/testing/similar-entries.js'
import type { JournalEntry } from '../service/engine/journal.js'
import { background } from './background.js'

/** A line of the log. */
interface Line {
  readonly entry: JournalEntry
  /** The name of the world. Undefined if there is only one. */
  readonly world: string | undefined
}

interface Waiting<L extends Line> {
  readonly line: L
  readonly isPrinted: boolean
}

/** Lines that come within this time of each other are one burst, in milliseconds of real time. */
const BURST = 100

/**
 * Folds long runs of lines as the trace does, when they come in a burst. The first lines of a run appear at once,
 * and so do all that come one by one. Any other line first brings what waits, so the order stays.
 */
export class FoldedLines<L extends Line> {
  readonly #print: (line: L, more?: number) => void
  readonly #now: () => number
  /** The lines of the burst, oldest first. */
  #burst: Waiting<L>[] = []
  /** The entries of the burst, by their kind. */
  readonly #runs = new Map<string, JournalEntry[]>()
  #begun = 0
  #timer: WallTimer | undefined
  readonly #flushLate = background.callback('log lines', () => this.flush())

  /**
   * @param print Prints a line. `more` is the number of similar lines that it stands for.
   * @param now Returns real time, in milliseconds.
   */
  constructor(print: (line: L, more?: number) => void, now = wallNow) {
    this.#print = print
    this.#now = now
  }

  add(line: L): void {
    const kind = foldedKind(line)
    if (kind === undefined || this.#now() - this.#begun > BURST) this.flush()
    if (kind === undefined) return this.#print(line)
    if (this.#burst.length === 0) this.#begun = this.#now()
    const run = this.#runs.get(kind) ?? []
    this.#runs.set(kind, run)
    const isPrinted = run.length < FIRST && this.#timer === undefined
    run.push(line.entry)
    this.#burst.push({ line, isPrinted })
    if (isPrinted) this.#print(line)
    else this.#timer ??= startTimer(BURST, this.#flushLate)
  }

  /** Prints what waits. */
  flush(): void {
    cancelTimer(this.#timer)
    this.#timer = undefined
    const burst = this.#burst
    const lines = [...this.#runs.values()].flatMap((run) => foldSimilar(run))
    const shown = new Map(lines.map((line) => [line.entry, line]))
    this.#burst = []
    this.#runs.clear()
    for (const { line, isPrinted } of burst) {
      const found = shown.get(line.entry)
      if (found && !isPrinted) this.#print(line, found.more)
    }
  }
}

/** What the lines of a run have in common. Undefined for a line that is always shown, such as a refusal. */
function foldedKind({ entry, world = '' }: Line): string | undefined {
  const isRefused = entry.kind === 'request' && (entry.lost !== undefined || entry.status! >= 400)
  const kind = isRefused ? undefined : kindOf(entry)
  return kind === undefined ? undefined : `${kind} ${world}`
}
