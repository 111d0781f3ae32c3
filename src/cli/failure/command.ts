import { platform } from 'node:process'
import type { Emulator } from '../../emulator/emulator.js'
import type { RequestEntry } from '../../service/engine/journal.js'
import { formatRequest } from '../../emulator/testing/format.js'
import { pendingIn } from '../../emulator/testing/pending.js'
import { problemsIn, problemsOf } from '../../emulator/testing/problems.js'
import { latestWorlds, traceOf, usedWorlds } from '../../emulator/testing/trace.js'
import { counted } from '../../base/text/counted.js'
import { shownKey } from '../shown-key.js'
import { type Output, printable, printableLines } from '../terminal.js'
import { cut, widthOf, wrapped } from '../text-width.js'
import { formatDuration } from '../report/format.js'
import { shortIds, traceLines } from '../report/trace-lines.js'

/** A command that ran beside an emulator and failed. */
export interface FailedRun {
  command: readonly string[]
  code: number
  /** Milliseconds of real time. */
  took: number
  /** The words of the command that runs the same again. */
  again: readonly string[]
  /** The mistakes that the client checks found, if they were asked for. */
  mistakes?: readonly { readonly check: string; readonly text: string }[]
  /** What was pending when the command was stopped because it ran too long. */
  late?: readonly PendingRow[] | undefined
}

/** How much of a command is shown if stderr is not a terminal. */
const USUAL_COLUMNS = 100
const SHORTEST_COMMAND = 20
/** How many mistakes of the client are shown. */
const MOST_MISTAKES = 8
/** How many worlds are named with their keys. */
const MOST_KEYS = 8
/** How many different problems are shown, the latest ones. */
const MOST_PROBLEMS = 8

/** What failed, why, how to reproduce it, and what is still pending. */
export function failureLines(
  emulator: Emulator,
  { command, code, took, again, mistakes = [], late }: FailedRun,
  output: Output,
): string[] {
  const { paint, columns } = output
  const width = columns?.()
  const ended = endOf({ code, late, mistakes: mistakes.length })
  const ran = ` It ran for ${formatDuration(took)}.`
  const room = (width ?? USUAL_COLUMNS) - ended.length - ran.length
  const shown = cut(printable(command.join(' ')), Math.max(SHORTEST_COMMAND, room))
  const problems = problemLines(emulator, output)
  const first = `${paint(['bold', 'red'], shown + ended)}${ran}`
  return [
    ...wrapped(first, width, 0),
    '',
    ...worldLines(emulator, output),
    ...mistakeLines(mistakes, output),
    paint('bold', 'What failed in the emulator:'),
    ...(problems.length > 0
      ? problems
      : wrapped('  Nothing: the output of the command says more.', width, 2)),
    '',
    paint('bold', 'Run it again:'),
    ...commandLines(again, width),
    '',
    ...pendingLines(late ?? pendingOf(emulator), output, late && ' when it was stopped'),
    '',
  ]
}

interface CommandEnd {
  code: number
  late: FailedRun['late']
  /** How many mistakes the client checks found. */
  mistakes: number
}

function endOf({ code, late, mistakes }: CommandEnd): string {
  if (late) return ' did not end in time and was stopped.'
  if (code !== 0 || mistakes === 0) return ` exited with code ${code}.`
  return ` exited with code 0, but the client checks found ${counted(mistakes, 'mistake')}.`
}

function mistakeLines(
  mistakes: NonNullable<FailedRun['mistakes']>,
  { paint, columns }: Output,
): string[] {
  if (mistakes.length === 0) return []
  const shown = mistakes.slice(0, MOST_MISTAKES).flatMap(({ check, text }) => {
    return wrapped(`  ${paint('red', check)}: ${printable(shortIds(text))}`, columns?.(), 4)
  })
  const left = mistakes.length - MOST_MISTAKES
  const more = left > 0 ? [`  … ${left} more`] : []
  return [paint('bold', 'Client checks:'), ...shown, ...more, '']
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

/** The latest refused requests, failed jobs and errors. */
export function problemLines(emulator: Emulator, { paint, columns }: Output): string[] {
  const all = problemsIn(emulator)
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

/** What is pending in all worlds. */
function pendingOf(emulator: Emulator): PendingRow[] {
  const used = usedWorlds(emulator)
  return latestWorlds(used, used.length).flatMap((world) => {
    return pendingIn(world).map(({ what, which, why }) => {
      return { what: world.worldName === null ? what : `${world.worldName} ${what}`, which, why }
    })
  })
}

/** What is pending while the command still runs: also the responses that a fault keeps back. */
export function pendingNow(emulator: Emulator): PendingRow[] {
  const hanging = usedWorlds(emulator).flatMap(({ journal, engine }): PendingRow[] => {
    const left = journal.entries.filter(
      (entry) => entry.kind === 'request' && entry.lost === 'hang',
    )
    const { hanging: still } = engine.delayed
    return (still === 0 ? [] : left.slice(-still)).map((entry) => {
      const which = formatRequest(entry as RequestEntry)
      return { what: 'request', which, why: 'gets no answer, because a fault hangs' }
    })
  })
  return [...hanging, ...pendingOf(emulator)]
}

export interface PendingRow {
  what: string
  which: string
  why: string
}

/** What is pending, in columns. In a narrow terminal, the reason goes below. */
function pendingLines(
  pending: readonly PendingRow[],
  { paint, columns }: Output,
  when: string | undefined,
): string[] {
  const [is, are] = when === undefined ? ['is', 'are'] : ['was', 'were']
  if (pending.length === 0) return [`Nothing ${is} pending${when ?? ''}.`]
  const width = columns?.()
  const rows = pending.map(({ what, which, why }) => {
    return { what, which: printable(shortIds(which)), why: printable(shortIds(why)) }
  })
  const first = Math.max(...rows.map(({ what }) => what.length))
  const second = Math.max(...rows.map(({ which }) => widthOf(which)))
  const indent = 2 + first + 2
  const isWide = width === undefined || indent + second + 2 + 30 <= width
  return [
    paint(
      'bold',
      `${counted(pending.length, `thing ${is}`, `things ${are}`)} pending${when ?? ''}:`,
    ),
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
