import { inspect } from 'node:util'
import type { Journal, JournalEntry, NoteEntry, RequestEntry } from '../service/engine/journal.js'
import { ScenarioError } from '../service/scenario/scenario-error.js'
import { isUnderWay } from '../service/engine/journal-entry.js'
import { redactionOf, shownEntry } from '../service/engine/shown-entry.js'
import { lostText, markOf, requestTarget } from '../emulator/testing/format.js'
import { toIso } from '../base/text/iso.js'
import type { LogFormat } from './options/serve.js'
import { moreText } from '../emulator/testing/similar-entries.js'
import { FoldedLines } from './folded-lines.js'
import { shortIds } from './report/trace-lines.js'
import {
  colorOf,
  type Output,
  type Paint,
  printable,
  printableJson,
  printableLines,
} from './terminal.js'
import { widthOf, wrapped } from './text-width.js'

/** Where an entry comes from. */
export interface LogSource {
  /** The journal that has the entry. Without it, receipts are logged as they come. */
  journal?: Pick<Journal, 'entriesAfter' | 'now'>
  /** The name of the world. Undefined if there is only one. */
  world?: string | undefined
}

/** Logs an entry of the journal. */
export type Log = (entry: JournalEntry, source?: LogSource) => void

/** A log, and how to print at once what it gathers. */
export interface RequestLog {
  readonly log: Log
  readonly flush: () => void
}

interface LogOptions {
  /** Whether something else shows the steps of running jobs. */
  withoutSteps?: boolean
  /** Returns real time, which tells what comes in a burst. Default: the real one. */
  now?: () => number
}

/**
 * Logs entries of the journal: each request with its reason and its effects, the events of jobs, and deliveries.
 * Lines for people fold long runs as the trace does; JSON has an object for each entry.
 */
export function requestLog(
  format: LogFormat,
  output: Output,
  { withoutSteps = false, now }: LogOptions = {},
): RequestLog {
  const flush = (): void => {}
  if (format === 'silent') return { log: () => {}, flush }
  if (format === 'json') {
    const log: Log = (entry, { world } = {}) => output.write(printableJson(plain(entry, world)))
    return { log, flush }
  }
  const pretty = new PrettyLog(output, now)
  const log: Log = (entry, source = {}) => {
    if (withoutSteps && entry.kind === 'job' && entry.event === 'gradient_step') return
    pretty.add(entry, source)
  }
  return { log, flush: () => pretty.flush() }
}

function plain(entry: JournalEntry, world: string | undefined): unknown {
  const { at, ...shown } = shownEntry(entry)
  const place = { time: toIso(at), ...(world !== undefined && { world }) }
  if (shown.kind === 'note') return { ...place, ...shown, quote: undefined, stack: undefined }
  if (shown.kind !== 'request') return { ...place, ...shown }
  const { took = 0, fault, ...request } = shown
  return { ...place, ...request, took: Math.round(took * 1000) / 1000, fault }
}

/** The columns of a line: the time, the status or a mark, and the text. */
interface Line {
  mark: string
  text: string
  /** Lines below, which explain it. */
  more?: readonly string[]
}

/** An entry with the time that its line shows. */
interface TimedLine {
  readonly entry: JournalEntry
  readonly world: string | undefined
  readonly at: number
}

const MARK_WIDTH = 3
const WIDEST_WORLD = 16

class PrettyLog {
  readonly #output: Output
  readonly #lines: FoldedLines<TimedLine>
  /** The day of the last line, by world: each world has its own clock. */
  readonly #days = new Map<string | undefined, string>()
  /** Receipts and notes whose cause is still under way, by world and cause. */
  readonly #early = new Map<string, { entry: JournalEntry; source: LogSource }[]>()
  #worldWidth = 0

  constructor(output: Output, now: LogOptions['now']) {
    this.#output = output
    this.#lines = new FoldedLines((line, more) => this.#print(line, more), now)
  }

  add(entry: JournalEntry, source: LogSource): void {
    if (this.#holdBack(entry, source)) return
    this.#addLine(entry, source)
    if (entry.kind !== 'delivery' && entry.kind !== 'request') return
    const place = placeOf(entry.id, source)
    const effects = this.#early.get(place) ?? []
    this.#early.delete(place)
    for (const effect of effects) this.#addLine(effect.entry, effect.source)
  }

  flush(): void {
    // The program stops: nothing comes that they could follow.
    const early = [...this.#early.values()].flat()
    this.#early.clear()
    for (const { entry, source } of early) this.#addLine(entry, source)
    this.#lines.flush()
  }

  #addLine(entry: JournalEntry, { world, journal }: LogSource): void {
    // An entry has the time of its beginning, and others may have ended since.
    this.#lines.add({ entry, world, at: journal?.now ?? entry.at })
  }

  /**
   * Calls and deliveries are logged when they are over, and what they caused comes below them: the warnings about a
   * call, and the receipt of a sink, which may be there before the sender has the answer.
   */
  #holdBack(entry: JournalEntry, source: LogSource): boolean {
    const { kind, cause } = entry
    if (kind !== 'receipt' && kind !== 'note') return false
    if (cause === undefined || !source.journal) return false
    const [causing] = source.journal.entriesAfter(cause - 1)
    if (causing?.id !== cause || isOver(causing)) return false
    const place = placeOf(cause, source)
    this.#early.set(place, [...(this.#early.get(place) ?? []), { entry, source }])
    return true
  }

  #print({ entry, world, at }: TimedLine, similar?: number): void {
    const { write, paint, columns } = this.#output
    const [day, time] = toIso(at).split(/[T.]/) as [string, string]
    const before = this.#days.get(world)
    this.#days.set(world, day)
    if (before !== undefined && before !== day) write(paint('gray', `── ${day} ──`))
    const { mark, text: own, more = [] } = lineFor(entry, paint)
    const text = moreText(entry, similar, own)
    const named = this.#named(world)
    const start = `${paint('gray', time)}${named === '' ? '' : ` ${paint('magenta', named)}`}`
    const indent = widthOf(start) + MARK_WIDTH + 4
    const pad = ' '.repeat(Math.max(0, MARK_WIDTH - widthOf(mark)))
    const width = columns?.()
    const whole = `${start}  ${mark}${pad}  ${text}`
    // A request that created something has the whole id below it.
    const isShortened = entry.kind === 'request' && width !== undefined && widthOf(whole) > width
    const first = isShortened ? shortIds(whole) : whole
    const lines = [first, ...more.map((each) => ' '.repeat(indent) + each)]
    for (const line of lines) for (const part of wrapped(line, width, indent)) write(part)
  }

  #named(world: string | undefined): string {
    if (world === undefined) return ''
    const name = printable(world)
    this.#worldWidth = Math.max(this.#worldWidth, Math.min(WIDEST_WORLD, widthOf(name)))
    return name.padEnd(this.#worldWidth)
  }
}

function placeOf(id: number, { world = '' }: LogSource): string {
  return `${id} ${world}`
}

function isOver(entry: JournalEntry): boolean {
  if (entry.kind === 'request') return entry.took !== undefined
  return entry.kind !== 'delivery' || !isUnderWay(entry)
}

function lineFor(recorded: JournalEntry, paint: Paint): Line {
  if (recorded.kind === 'request') return requestLine(recorded, paint)
  const entry = shownEntry(recorded)
  switch (entry.kind) {
    case 'job': {
      const name = `${printable(entry.modelName)} ${entry.jobId.slice(0, 8)}`
      const text = printable(entry.text)
      const shown = entry.event === 'training_failed' ? paint('red', text) : text
      return { mark: paint('gray', ' ·'), text: `${name} ${shown}` }
    }
    case 'delivery':
      return webhookLine('⇢', entry, { paint, failed: entry.error !== undefined })
    case 'receipt':
      return webhookLine('⇠', entry, { paint, failed: entry.verdict !== 'valid' })
    case 'note':
      return noteLine(entry, paint)
  }
}

function noteLine({ text, stack }: NoteEntry, paint: Paint): Line {
  if (stack === undefined) return { mark: '', text: paint('gray', printable(text)) }
  const frames = stack.split('\n').slice(1)
  const more = frames.map((frame) => paint('gray', printable(frame.trim())))
  return { mark: paint('red', '!'), text: paint('red', printable(text)), more }
}

function webhookLine(
  arrow: string,
  { text }: { text: string },
  { paint, failed }: { paint: Paint; failed: boolean },
): Line {
  const shown = printable(text)
  return { mark: paint('gray', ` ${arrow}`), text: failed ? paint('red', shown) : shown }
}

function requestLine(entry: RequestEntry, paint: Paint): Line {
  const shown = shownEntry(entry)
  const { method, took = 0, effects, detail, hint, status, lost } = shown
  const target = printable(requestTarget(shown))
  const color = lost === undefined ? colorOf(status ?? 0) : 'red'
  const missing = lostText(shown)
  // What hangs is not over.
  const time = lost === 'hang' ? '' : ` ${paint('gray', `${took.toFixed(1)} ms`)}`
  const more = [
    ...(detail === undefined || detail === '' ? [] : [paint(color, printable(detail))]),
    ...(hint === undefined ? [] : [paint('gray', `(${printable(hint)})`)]),
    ...effects.map((effect) => `${paint('gray', '→')} ${printable(effect)}`),
  ]
  if (entry.fault !== undefined) {
    const redact = redactionOf(entry)
    const stack = entry.fault instanceof ScenarioError ? entry.fault.stack : inspect(entry.fault)
    more.push(paint('red', printableLines(redact(stack ?? ''))))
  }
  return {
    mark: paint(color, markOf(shown)),
    text: `${method} ${target}${missing ? ` ${paint('red', missing)}` : ''}${time}`,
    more,
  }
}
