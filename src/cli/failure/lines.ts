import { platform } from 'node:process'
import { printable, printableLines, type Output } from '../terminal.js'
import { COLUMNS_OF_FILES, cut, widthOf, wrapped } from '../text-width.js'
import { shortIds } from '../report/trace-lines.js'
import type { Failure, FailurePart, PendingRow } from './failure.js'

const SHORTEST_SUBJECT = 20

/** Where lines go, without a way to write them. */
type Look = Pick<Output, 'paint' | 'columns'>

/** Without colors, and with lines of any length. */
export const plain: Look = { paint: (_style, text) => text }

/** Formats a failure for a terminal. All lines but the first begin with `indent`. */
export function failureLines(failure: Failure, look: Look, indent = ''): string[] {
  const { reason, notes = [], parts = [] } = failure
  const { paint, columns } = look
  const below = (text: string): string[] => wrapped(indent + text, columns?.(), indent.length)
  return [
    ...wrapped(headlineOf(failure, look), columns?.(), indent.length),
    ...(reason === undefined ? [] : below(shortIds(printable(reason)))),
    ...notes.flatMap((note) => below(paint('yellow', note))),
    ...parts.flatMap((part) => ['', ...partLines(part, look, indent)]),
  ]
}

/** The first line of a failure. */
export function headlineOf({ title, headline }: Failure, { paint, columns }: Look): string {
  const { subject, text, facts } = headline ?? { text: title }
  const end = facts === undefined ? '' : ` ${facts}`
  if (subject === undefined) return paint(['bold', 'red'], printable(text)) + end
  const room = (columns?.() ?? COLUMNS_OF_FILES) - ` ${text}`.length - end.length
  const shown = cut(printable(subject), Math.max(SHORTEST_SUBJECT, room))
  return paint(['bold', 'red'], `${shown} ${printable(text)}`) + end
}

/** Says why something failed, on a page that has the evidence in places of its own. */
export function causeText({
  title,
  headline: { text, facts } = { text: title },
  cause,
}: Failure): string {
  return [cause, [`The command ${text}`, facts].join(' ')].filter(Boolean).join('\n')
}

/** Formats a part of a failure: its heading, and what is below it. */
export function partLines(part: FailurePart, { paint, columns }: Look, indent = ''): string[] {
  const width = columns?.()
  const deeper = `${indent}  `
  const heading = paint('bold', `${indent}${part.heading}:`)
  switch (part.form) {
    case 'sentence':
      return wrapped(`${heading} ${printable(part.text)}`, width, deeper.length)
    case 'nothing':
      return [`${indent}${part.heading}.`]
    case 'names':
    case 'marks': {
      const { form, rows, above, below } = part
      const [after, hanging] = form === 'names' ? [': ', 2] : ['  ', 5]
      const aside = (text: string | undefined): string[] => {
        return text === undefined ? [] : wrapped(deeper + text, width, deeper.length)
      }
      const lines = rows.flatMap(({ label, text }) => {
        const line = `${deeper}${paint('red', label)}${after}${printable(text)}`
        return wrapped(line, width, deeper.length + hanging)
      })
      return [heading, ...aside(above), ...lines, ...aside(below)]
    }
    case 'columns':
      return [heading, ...columnLines(part.rows, { paint, width, indent: deeper })]
    case 'command':
      return [heading, ...commandLines(part.words, { width, indent: deeper })]
    case 'code': {
      const { file, text } = part
      const name = file === undefined ? heading : paint('bold', `${indent}${printable(file)}`)
      return [name, ...text.split('\n').map((line) => `${deeper}${printable(line)}`)]
    }
  }
}

interface RowLook {
  readonly width: number | undefined
  readonly indent: string
}

/** What is pending, in columns. In a narrow terminal, the reason goes below. */
function columnLines(
  pending: readonly PendingRow[],
  { paint, width, indent }: RowLook & Pick<Look, 'paint'>,
): string[] {
  const rows = pending.map(({ what, which, why }) => {
    return { what, which: printable(which), why: printable(why) }
  })
  const first = Math.max(...rows.map(({ what }) => what.length))
  const second = Math.max(...rows.map(({ which }) => widthOf(which)))
  const left = indent.length + first + 2
  const isWide = width === undefined || left + second + 2 + 30 <= width
  return rows.flatMap(({ what, which, why }) => {
    const start = `${indent}${what.padEnd(first)}  `
    if (isWide) {
      const name = which + ' '.repeat(second - widthOf(which))
      return wrapped(`${start}${name}  ${paint('yellow', why)}`, width, left + second + 2)
    }
    const below = `${' '.repeat(left)}${paint('yellow', why)}`
    return [...wrapped(start + which, width, left), ...wrapped(below, width, left)]
  })
}

/** A command to paste. In a narrow terminal, each line but the last ends with a backslash. */
function commandLines(words: readonly string[], { width, indent }: RowLook): string[] {
  const lines = ['']
  for (const word of words.map(printableLines)) {
    const line = lines.at(-1)!
    const next = line === '' ? indent + word : `${line} ${word}`
    // The shell of Windows has another sign.
    const isFull = width !== undefined && platform !== 'win32' && widthOf(next) > width - 2
    if (isFull && line !== '') {
      lines[lines.length - 1] = `${line} \\`
      lines.push(`${indent}  ${word}`)
    } else lines[lines.length - 1] = next
  }
  return lines
}
