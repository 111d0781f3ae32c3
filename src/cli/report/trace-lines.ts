import { UUID } from '../../base/text/uuid.js'
import { HALF_TEXT, LOST_TEXT } from '../../emulator/testing/format.js'
import { type Output, printable } from '../terminal.js'
import { wrapped } from '../text-width.js'

/** Formats the text of a trace for a terminal: with colors, short ids, and lines that fit. */
export function traceLines(trace: string, { paint, columns }: Omit<Output, 'write'>): string[] {
  return trace.split('\n').flatMap((line) => {
    const [, start, time, text] = /^( *)(\+[\d.]+s|before) {2}(.*)$/.exec(line) ?? []
    if (text === undefined) {
      const isHead = line !== '' && !line.startsWith(' ')
      const shown = printable(line)
      return wrapped(isHead ? paint('bold', shown) : shown, columns?.(), 2)
    }
    const shown = printable(shortIds(text))
    const indent = start!.length + time!.length + 2 + /^[ →]*/.exec(shown)![0].length
    return wrapped(`${start}${paint('gray', time!)}  ${colored(shown, paint)}`, columns?.(), indent)
  })
}

const NONE = Object.values(LOST_TEXT).join('|')
const HALF = Object.values(HALF_TEXT).join('|')

/** A call in a line of the trace: its status, and whether its answer was lost. */
const CALL = new RegExp(
  String.raw`^[ →]*(?:… \d+ more like )?[A-Z]+ \S+ (?:\w+ )?(?:(\d{3})(?:, (${HALF}))?|(${NONE}))\b`,
)

/** Colors a line of the trace that tells of a failure. */
function colored(text: string, paint: Output['paint']): string {
  const [call, status = '', half, lost = half] = CALL.exec(text) ?? []
  // What a call caused may have any words. Of a job, it is its end.
  const isFailed = call === undefined ? text.includes(' failed: ') : lost !== undefined
  if (isFailed || status.startsWith('5')) return paint('red', text)
  return status.startsWith('4') ? paint('yellow', text) : text
}

const ID = new RegExp(String.raw`\b${UUID.source}\b`, 'g')

/** Shortens ids. The start of an id is enough for people. */
export function shortIds(text: string): string {
  return text.replaceAll(ID, (id) => `${id.slice(0, 8)}…`)
}
