import type { LineStream } from '../../platform/line-stream.js'
import type { View } from './call.js'
import { connection, cursorOf, MOST_PER_PAGE, type PageArguments } from './connection.js'

/** Which lines a client asks for. `last` asks for the end. */
export interface OutputArguments extends PageArguments {
  readonly last?: number | null
}

/** A page of what a program printed. Lines are numbered from 0 on. */
export function outputPage(output: LineStream, { last, ...page }: OutputArguments): View {
  const lines = output.slice(0, output.length).flatMap((sent, number) => {
    return sent === undefined ? [] : [{ number, sent }]
  })
  const first = Math.min(last ?? 0, lines.length, MOST_PER_PAGE)
  const wanted = typeof last === 'number' ? { first, after: cursorOf(lines.length - first) } : page
  return connection(lines, wanted, ({ number, sent }) => ({ node: lineView(number, sent) }))
}

/** What the SDK sends: a level if it is an error, the time, and what was printed. */
const LINE = /^(?:(ERROR) )?(\d{4}-\d\d-\d\dT[\d:.]+Z?) (.*)$/s

function lineView(number: number, sent: string): View {
  const [, level, time, line = sent] = LINE.exec(sent) ?? []
  return {
    number,
    timestamp: time === undefined ? null : time.replace(/Z?$/, 'Z'),
    level: level?.toLowerCase() ?? null,
    label: null,
    line,
  }
}
