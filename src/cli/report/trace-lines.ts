import { UUID } from '../../base/text/uuid.js'
import { arrow } from '../../emulator/testing/format.js'
import type { TraceLine } from '../../emulator/testing/trace.js'
import { type Output, printable } from '../terminal.js'
import { wrapped } from '../text-width.js'

/** Formats the lines of a trace for a terminal: with colors, short ids, and lines that fit. */
export function traceLines(
  lines: readonly TraceLine[],
  { paint, columns }: Omit<Output, 'write'>,
): string[] {
  return lines.flatMap(({ kind, time, depth, text, severity }) => {
    const shown = printable(shortIds(text))
    if (kind === 'head') return wrapped(text && paint('bold', shown), columns?.(), 2)
    const start = time === null ? '  ' : `  ${paint('gray', time)}  `
    const lead = arrow(depth)
    const colored = severity ? paint(COLORS[severity], lead + shown) : lead + shown
    const indent = `  ${time === null ? '' : `${time}  `}${lead}`.length
    return wrapped(start + colored, columns?.(), indent)
  })
}

const COLORS = { fail: 'red', warn: 'yellow' } as const

const ID = new RegExp(String.raw`\b${UUID.source}\b`, 'g')

/** Shortens ids. The start of an id is enough for people. */
export function shortIds(text: string): string {
  return text.replaceAll(ID, (id) => `${id.slice(0, 8)}…`)
}
