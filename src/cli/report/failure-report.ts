import { platform } from 'node:process'
import type { Emulator } from '../../emulator/emulator.js'
import type { RequestEntry } from '../../engine/journal.js'
import { pendingIn } from '../../testing/pending.js'
import { latestWorlds, traceOf, usedWorlds } from '../../testing/trace.js'
import { counted } from '../../text/counted.js'
import { shownKey } from '../shown-key.js'
import { type Output, printable, printableLines } from '../terminal.js'
import { cut, widthOf, wrapped } from '../text-width.js'
import { formatDuration } from './format.js'
import { shortIds, traceLines } from './trace-lines.js'

/** A command that ran beside an emulator and failed. */
export interface FailedRun {
  command: readonly string[]
  code: number
  /** Milliseconds of real time. */
  took: number
  /** The words of the command that runs the same again. */
  again: readonly string[]
}

/** How much of a command is shown if stderr is not a terminal. */
const USUAL_COLUMNS = 100
const SHORTEST_COMMAND = 20
/** How many worlds are named with their keys. */
const MOST_KEYS = 8
/** How many different problems are shown, the latest ones. */
const MOST_PROBLEMS = 8

/** What failed, why, how to reproduce it, and what is still pending. */
export function failureLines(
  emulator: Emulator,
  { command, code, took, again }: FailedRun,
  output: Output,
): string[] {
  const { paint, columns } = output
  const width = columns?.()
  const ended = ` exited with code ${code}.`
  const ran = ` It ran for ${formatDuration(took)}.`
  const room = (width ?? USUAL_COLUMNS) - ended.length - ran.length
  const shown = cut(printable(command.join(' ')), Math.max(SHORTEST_COMMAND, room))
  const problems = problemsIn(emulator, output)
  const first = `${paint(['bold', 'red'], shown + ended)}${ran}`
  return [
    ...wrapped(first, width, 0),
    '',
    ...worldLines(emulator, output),
    paint('bold', 'What failed in the emulator:'),
    ...(problems.length > 0
      ? problems
      : wrapped('  Nothing: the output of the command says more.', width, 2)),
    '',
    paint('bold', 'Run it again:'),
    ...commandLines(again, width),
    '',
    ...pendingLines(pendingOf(emulator), output),
    '',
  ]
}

/** A command to paste. In a narrow terminal, each line but the last ends with a backslash. */
function commandLines(words: readonly string[], columns: number | undefined): string[] {
  const lines = ['']
  for (const word of words.map(printableLines)) {
    const line = lines.at(-1)!
    const next = line === '' ? `  ${word}` : `${line} ${word}`
    // The shell of Windows has another sign.
    const isFull = columns !== undefined && platform !== 'win32' && widthOf(next) > columns - 2
    if (isFull && line !== '') {
      lines[lines.length - 1] = `${line} \\`
      lines.push(`    ${word}`)
    } else lines[lines.length - 1] = next
  }
  return lines
}

/** With `--isolate`, which world belongs to which key. */
function worldLines(emulator: Emulator, { paint, columns }: Output): string[] {
  const worlds = [...emulator.worlds]
  if (worlds.length === 0) return []
  const shown = latestWorlds(worlds, MOST_KEYS).map((world) => {
    return `${printable(world.worldName!)} (key ${printable(shownKey(world))})`
  })
  const left = worlds.length - shown.length
  const more = left > 0 ? `${counted(left, 'world')} before, ` : ''
  return [...wrapped(`${paint('bold', 'Worlds:')} ${more}${shown.join(', ')}`, columns?.(), 2), '']
}

interface Problem {
  mark: string
  text: string
}

/** Refused requests and failed jobs of all worlds, each different one once. The latest come last. */
function problemsIn(emulator: Emulator, { paint, columns }: Output): string[] {
  const found = new Map<string, Problem & { count: number }>()
  for (const world of usedWorlds(emulator)) {
    for (const problem of problemsOf(world)) {
      const text = world.worldName === null ? problem.text : `${world.worldName}: ${problem.text}`
      const key = `${problem.mark} ${text}`
      const count = (found.get(key)?.count ?? 0) + 1
      // Deleted first, so that the order is that of the latest occurrence.
      found.delete(key)
      found.set(key, { mark: problem.mark, text, count })
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

function problemsOf({ journal }: Emulator): Problem[] {
  return journal.entries.flatMap((entry): Problem[] => {
    if (entry.kind === 'request' && isFailed(entry)) {
      return [{ mark: markOf(entry), text: requestText(entry) }]
    }
    if (entry.kind !== 'job' || entry.event !== 'training_failed') return []
    return [{ mark: 'job', text: `${entry.modelName} ${entry.jobId.slice(0, 8)} ${entry.text}` }]
  })
}

/** What is pending in all worlds. */
function pendingOf(emulator: Emulator): PendingRow[] {
  const used = usedWorlds(emulator)
  return latestWorlds(used, used.length).flatMap((world) => {
    return pendingIn(world).map(({ what, which, why }) => {
      return { what: world.worldName === null ? what : `${world.worldName} ${what}`, which, why }
    })
  })
}

interface PendingRow {
  what: string
  which: string
  why: string
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
function pendingLines(pending: readonly PendingRow[], { paint, columns }: Output): string[] {
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

/** How many worlds are shown, those with failures first. */
const MOST_WORLDS = 3

/** What happened before, in each world that matters. */
export function failedTraceLines(emulator: Emulator, output: Output): string[] {
  const used = usedWorlds(emulator)
  const failed = used.filter((world) => problemsOf(world).length > 0 || pendingIn(world).length > 0)
  const shown = latestWorlds(failed.length > 0 ? failed : used, MOST_WORLDS)
  const left = used.length - shown.length
  return [
    ...shown.flatMap((world, index) => {
      return [...(index === 0 ? [] : ['']), ...traceLines(traceOf(world, { named: true }), output)]
    }),
    ...(left > 0
      ? ['', `… and ${counted(left, 'other world')}. --trace <file> writes all of them.`]
      : []),
  ]
}
