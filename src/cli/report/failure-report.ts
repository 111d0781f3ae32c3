import type { Emulator } from '../../emulator/emulator.js'
import type { RequestEntry } from '../../engine/journal.js'
import { pendingIn, type Pending } from '../../testing/pending.js'
import { traceOf } from '../../testing/trace.js'
import { counted } from '../../text/counted.js'
import { type Output, printable, printableLines } from '../terminal.js'
import { cut, widthOf, wrapped } from '../text-width.js'
import { formatDuration } from './format.js'

/** A command that ran beside an emulator and failed. */
export interface FailedRun {
  command: readonly string[]
  code: number
  /** Milliseconds of real time. */
  took: number
  /** The command that runs the same again. */
  again: string
}

/** How much of a command is shown if stderr is not a terminal. */
const USUAL_COLUMNS = 100
/** How many different problems are shown, the latest ones. */
const MOST_PROBLEMS = 8

/** What failed, why, how to reproduce it, and what is still pending. */
export function failureLines(
  emulator: Emulator,
  { command, code, took, again }: FailedRun,
  output: Output,
): string[] {
  const { paint, columns } = output
  const room = Math.max(20, (columns?.() ?? USUAL_COLUMNS) - 30)
  const ended = `exited with code ${code}.`
  const shown = cut(printable(command.join(' ')), room)
  const problems = problemsIn(emulator, output)
  const pending = pendingIn(emulator)
  return [
    `${paint(['bold', 'red'], `${shown} ${ended}`)} It ran for ${formatDuration(took)}.`,
    '',
    paint('bold', 'What failed in the emulator:'),
    ...(problems.length > 0
      ? problems
      : wrapped('  Nothing: the output of the command says more.', columns?.(), 2)),
    '',
    paint('bold', 'Run it again:'),
    ...printableLines(again)
      .split('\n')
      .map((line) => `  ${line}`),
    '',
    ...pendingLines(pending, output),
    '',
  ]
}

/** Refused requests and failed jobs, each different one once. The latest come last. */
function problemsIn(emulator: Emulator, { paint, columns }: Output): string[] {
  const found = new Map<string, { mark: string; text: string; count: number }>()
  const add = (mark: string, text: string): void => {
    const key = `${mark} ${text}`
    const count = (found.get(key)?.count ?? 0) + 1
    // Deleted first, so that the order is that of the latest occurrence.
    found.delete(key)
    found.set(key, { mark, text, count })
  }
  for (const world of [emulator, ...emulator.worlds]) {
    for (const entry of world.journal.entries) {
      if (entry.kind === 'request' && isFailed(entry)) add(markOf(entry), requestText(entry))
      if (entry.kind === 'job' && entry.event === 'training_failed') {
        add('job', `${entry.modelName} ${entry.jobId.slice(0, 8)} ${entry.text}`)
      }
    }
  }
  const all = [...found.values()]
  const left = Math.max(0, all.length - MOST_PROBLEMS)
  return [
    ...(left > 0 ? [`  … ${left} earlier`] : []),
    ...all.slice(left).flatMap(({ mark, text, count }) => {
      const times = count === 1 ? '' : ` (${count} times)`
      const line = `  ${paint('red', mark.padEnd(3))}  ${printable(shortIds(text))}${times}`
      return wrapped(line, columns?.(), 7)
    }),
  ]
}

function isFailed({ status, lost }: RequestEntry): boolean {
  return lost !== undefined || (status !== undefined && status >= 400)
}

function markOf({ status, lost }: RequestEntry): string {
  return lost === undefined ? String(status) : '---'
}

const LOST = { hang: 'no answer', disconnect: 'connection dropped' } as const

function requestText({ method, path, lost, detail, hint, effects }: RequestEntry): string {
  const reasons = [lost && LOST[lost], detail, hint, ...effects].filter(Boolean)
  return [`${method} ${path}`, reasons.join('; ')].filter(Boolean).join(': ')
}

/** What is pending, in columns. In a narrow terminal, the reason goes below. */
function pendingLines(pending: readonly Pending[], { paint, columns }: Output): string[] {
  if (pending.length === 0) return ['Nothing is pending.']
  const width = columns?.()
  const rows = pending.map(({ what, which, why }) => {
    return { what, which: printable(shortIds(which)), why: printable(shortIds(why)) }
  })
  const first = Math.max(...rows.map(({ what }) => what.length))
  const second = Math.max(...rows.map(({ which }) => widthOf(which)))
  const indent = 2 + first + 2
  const isWide = width === undefined || indent + second + 2 + 30 <= width
  return [
    paint('bold', `${counted(pending.length, 'thing is', 'things are')} pending:`),
    ...rows.flatMap(({ what, which, why }) => {
      const start = `  ${what.padEnd(first)}  `
      if (isWide) {
        const name = which + ' '.repeat(second - widthOf(which))
        return wrapped(`${start}${name}  ${paint('yellow', why)}`, width, indent + second + 2)
      }
      const below = `${' '.repeat(indent)}${paint('yellow', why)}`
      return [...wrapped(start + which, width, indent), ...wrapped(below, width, indent)]
    }),
  ]
}

/** The whole trace, with times below each other. */
export function traceLines(emulator: Emulator, { paint, columns }: Output): string[] {
  const [head = '', ...lines] = traceOf(emulator).split('\n')
  const parts = lines.map((line) => /^ *(\+[\d.]+s) {2}(.*)$/.exec(line) ?? line)
  const times = parts.map((part) => (typeof part === 'string' ? '' : part[1]!))
  const width = Math.max(0, ...times.map(({ length }) => length))
  return [
    ...wrapped(paint('bold', printable(head)), columns?.(), 2),
    ...parts.flatMap((part) => {
      if (typeof part === 'string') return [printable(part)]
      const text = printable(shortIds(part[2]!))
      const time = paint('gray', part[1]!.padStart(width))
      const depth = /^[ →]*/.exec(text)![0].length
      return wrapped(`  ${time}  ${colored(text, paint)}`, columns?.(), width + 4 + depth)
    }),
  ]
}

/** Colors a line of the trace that tells of a failure. */
function colored(text: string, paint: Output['paint']): string {
  const [, status = ''] = /^[ →]*(?:… \d+ more like )?[A-Z]+ \S+ (\d{3})\b/.exec(text) ?? []
  if (
    status.startsWith('5') ||
    / failed: | connection dropped| left without an answer/.test(text)
  ) {
    return paint('red', text)
  }
  return status.startsWith('4') ? paint('yellow', text) : text
}

const UUID = /\b([0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g

/** Shortens ids. The start of an id is enough for people. */
function shortIds(text: string): string {
  return text.replaceAll(UUID, '$1…')
}
