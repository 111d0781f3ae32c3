import { counted } from '../../base/text/counted.js'
import { formatDuration } from '../report/format.js'
import { shortIds } from '../report/trace-lines.js'
import { commandLines } from '../failure/lines.js'
import { printable, type Output, type Paint } from '../terminal.js'
import { cut, wrapped } from '../text-width.js'
import { obstacles, type Check, type PreflightReport } from './report.js'

/** The lines of a screen, without the one for the next prompt. */
const MOST_LINES = 23

/** The widest state and the widest name, each with two spaces. */
const [STATE, NAME] = [13, 9]
const INDENT = STATE + NAME

const STYLES = { go: 'green', 'no-go': 'red', 'not checked': 'yellow' } as const

/** How much is shown: the lines of a text, and whether commands have all words of the user's command. */
interface Room {
  readonly lines: number
  readonly whole: boolean
}

/** From much to little. */
const ROOMS: readonly Room[] = [
  { lines: 4, whole: true },
  { lines: 2, whole: true },
  { lines: 2, whole: false },
  { lines: 1, whole: false },
]

/** Formats a report for one screen of a terminal. A file has lines of any length. */
export function screenLines(
  report: PreflightReport,
  output: Pick<Output, 'paint' | 'columns'>,
): string[] {
  const columns = output.columns?.()
  const all = ROOMS.map((room) => linesIn(report, { ...room, columns, paint: output.paint }))
  if (columns === undefined) return all[0]!
  return all.find((lines) => lines.length <= MOST_LINES) ?? all.at(-1)!
}

interface Look extends Room {
  readonly columns: number | undefined
  readonly paint: Paint
}

function linesIn(report: PreflightReport, look: Look): string[] {
  const { command, checks, took } = report
  const { columns, paint } = look
  const shown = printable(command.join(' '))
  const head = columns === undefined ? shown : cut(shown, columns - 'Preflight of '.length)
  const open = obstacles(report)
  const verdict = open.length === 0 ? paint(['bold', 'green'], 'Go.') : noGo(open, paint)
  const [first = 0] = took
  const total = took.reduce((sum, each) => sum + each, 0)
  const time = `${counted(took.length, 'run')} took ${formatDuration(total)}; the first one, without a kill, took ${formatDuration(first)}.`
  return [
    paint('bold', `Preflight of ${head}`),
    '',
    ...checks.flatMap((check) => checkLines(check, command, look)),
    '',
    ...wrapped(verdict, columns, 2),
    ...wrapped(time, columns, 2),
  ]
}

/** Names what stands in the way. */
function noGo(open: readonly Check[], paint: Paint): string {
  const failed = open.filter(({ state }) => state === 'no-go').map(({ name }) => name)
  const unknown = open.filter(({ state }) => state === 'not checked').map(({ name }) => name)
  const parts = [
    ...(failed.length > 0 ? [failed.join(', ')] : []),
    ...(unknown.length > 0 ? [`not checked: ${unknown.join(', ')}`] : []),
  ]
  return `${paint(['bold', 'red'], 'No-go')}: ${parts.join('; ')}.`
}

function checkLines(
  { name, state, text, more }: Check,
  command: readonly string[],
  { columns, paint, lines: most, whole }: Look,
): string[] {
  const lines = wrapped(' '.repeat(INDENT) + shortIds(printable(text)), columns, INDENT)
  const shown = lines.slice(0, most)
  const last = shown.length - 1
  if (lines.length > most) shown[last] = cut(`${shown[last]!} …`, columns! - 1)
  shown[0] = paint(STYLES[state], state.padEnd(STATE)) + name.padEnd(NAME) + shown[0]!.slice(INDENT)
  if (!more) return shown
  const words = whole || columns === undefined ? more : [...more.slice(0, -command.length), '…']
  return [...shown, ...commandLines(words, { width: columns, indent: '  ' })]
}
