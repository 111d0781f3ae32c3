import { wallNow } from '../base/clock/wall.js'
import type { JournalEntry, RequestEntry } from '../service/engine/journal.js'
import { shownEntry } from '../service/engine/shown-entry.js'
import { markOf } from '../emulator/testing/format.js'
import { counted } from '../base/text/counted.js'
import { formatDuration } from './report/format.js'
import { type Output, printable } from './terminal.js'
import { wrapped } from './text-width.js'

/** How many different refusals are counted, and how many are shown. */
const MOST_COUNTED = 1000
const MOST_SHOWN = 3

/** Refusals that are alike. */
interface Refusals {
  /** The first of them. */
  readonly entry: RequestEntry
  count: number
}

/** Counts what happens while the emulator serves, for the last lines of the log. */
export class SessionSummary {
  readonly #start = wallNow()
  readonly #refusals = new Map<string, Refusals>()
  #requests = 0
  #refused = 0
  readonly #jobs = { started: 0, ended: 0, failed: 0 }
  readonly #deliveries = { attempts: 0, ofCopies: 0, failed: 0 }

  add(entry: JournalEntry): void {
    if (entry.kind === 'job') {
      if (entry.event === 'training_started') this.#jobs.started++
      if (entry.event === 'training_ended') this.#jobs.ended++
      if (entry.event === 'training_failed') this.#jobs.failed++
    }
    if (entry.kind === 'delivery') {
      // The end of the world cancels what is under way. It does not count.
      if (entry.error?.startsWith('cancelled')) return
      this.#deliveries.attempts++
      if (entry.copy !== undefined) this.#deliveries.ofCopies++
      if (entry.error !== undefined) this.#deliveries.failed++
    }
    if (entry.kind !== 'request') return
    this.#requests++
    const { status, lost } = entry
    if (lost === undefined && status !== undefined && status < 400) return
    this.#refused++
    const { method, path } = entry
    const key = `${markOf(entry)} ${method} ${path} ${reasonOf(entry)}`
    const known = this.#refusals.get(key)
    if (known) known.count++
    else if (this.#refusals.size < MOST_COUNTED) this.#refusals.set(key, { entry, count: 1 })
  }

  /**
   * The lines to print when the emulator stops.
   *
   * @param queued The jobs that have not started. Nothing has happened to them.
   */
  lines({ paint, columns }: Pick<Output, 'paint' | 'columns'>, queued = 0): string[] {
    const { started, ended, failed } = this.#jobs
    const { attempts, ofCopies, failed: unsent } = this.#deliveries
    const sent = [ofCopies > 0 && `${ofCopies} of copies`, unsent > 0 && `${unsent} failed`]
    const jobs = [
      ended > 0 && `${ended} ended`,
      failed > 0 && `${failed} failed`,
      queued > 0 && `${queued} queued`,
    ].filter(Boolean)
    const facts = [
      counted(this.#requests, 'request') +
        inBrackets(this.#refused > 0 && `${this.#refused} failed`),
      counted(Math.max(started, ended + failed) + queued, 'job') + inBrackets(jobs.join(', ')),
      attempts > 0 &&
        counted(attempts, 'delivery attempt') + inBrackets(sent.filter(Boolean).join(', ')),
    ].filter(Boolean)
    const ran = formatDuration(wallNow() - this.#start)
    const most = [...this.#refusals.values()].sort((one, other) => other.count - one.count)
    const first = most.slice(0, MOST_SHOWN)
    const shown = first.map(({ entry, count }) => {
      const shownCall = shownEntry(entry)
      const { method, path } = shownCall
      const reason = reasonOf(shownCall)
      const why = reason === '' ? '' : `: ${printable(reason)}`
      const times = count === 1 ? '' : ` (${count} times)`
      return `  ${paint('yellow', markOf(entry))}  ${printable(`${method} ${path}`)}${times}${why}`
    })
    const left = first.reduce((sum, { count }) => sum - count, this.#refused)
    return [
      ...wrapped(`Stopped after ${ran}: ${facts.join(', ')}.`, columns?.(), 2),
      ...shown.flatMap((line) => wrapped(line, columns?.(), 7)),
      ...(left > 0 ? [`  … and ${counted(left, 'other failure')}`] : []),
    ]
  }
}

/** Why a call was refused. The effects of a call name its fault. */
function reasonOf({ detail, effects }: RequestEntry): string {
  return [detail, ...effects].filter(Boolean).join('; ')
}

function inBrackets(text: string | false): string {
  return text === '' || text === false ? '' : ` (${text})`
}
