import { styleText } from 'node:util'
import { printable, printableJson, printableLines } from '../base/text/escape.js'
import { background } from './background.js'
import { StatusArea } from './status-area.js'
import { fitted } from './text-width.js'

/** Where text goes: a terminal or a file. */
export interface Output {
  write: (text: string) => void
  paint: Paint
  /** Returns the width, in characters. Absent for a file, where lines can have any length. */
  columns?: () => number
}

/** The terminal, or the files, that the program writes to. */
export interface Terminal extends Output {
  /** Writes a text to stderr. Its lines fit into the terminal. */
  writeError: (text: string) => void
  /** Stderr. */
  errors: Output
  /** Lines that stay below all others. Only present if stdout is a terminal. */
  statusArea?: StatusArea | undefined
}

type Style = Parameters<typeof styleText>[0]

/** Colors a text. Returns it unchanged if colors are off. */
export type Paint = (style: Style, text: string) => string

type Stream = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns' | 'rows'> &
  Partial<Pick<NodeJS.WriteStream, 'on'>>

type Environment = Readonly<Record<string, string | undefined>>

const USUAL_COLUMNS = 80
const USUAL_ROWS = 24

/** A terminal that writes to these streams, with colors and a status area if stdout is a real terminal. */
export function terminalOf(stdout: Stream, stderr: Stream, environment: Environment): Terminal {
  const statusArea = stdout.isTTY && environment.TERM !== 'dumb' ? statusAreaOf(stdout) : undefined
  const output = (stream: Stream): Output => {
    const write = (text: string): void => void stream.write(`${text}\n`)
    return {
      write: statusArea ? (text) => statusArea.above(() => write(text)) : write,
      paint: painterFor(stream, environment),
      ...(stream.isTTY && { columns: () => stream.columns || USUAL_COLUMNS }),
    }
  }
  const errors = output(stderr)
  const { write, columns } = errors
  return {
    ...output(stdout),
    writeError: (text) => fitted(text, columns?.()).forEach(write),
    errors,
    ...(statusArea && { statusArea }),
  }
}

function statusAreaOf(stream: Stream): StatusArea {
  const statusArea = new StatusArea({
    write: (text) => void stream.write(text),
    size: () => ({ columns: stream.columns || USUAL_COLUMNS, rows: stream.rows || USUAL_ROWS }),
  })
  const redraw = background.callback('draw the status', () => statusArea.resized())
  stream.on?.('resize', redraw)
  return statusArea
}

/**
 * Colors on a terminal, unless the environment forbids it (https://no-color.org). `FORCE_COLOR` has priority,
 * as in Node: with it, files get colors as well, and `FORCE_COLOR=0` turns them off.
 */
export function painterFor(
  stream: { isTTY?: boolean },
  { NO_COLOR, FORCE_COLOR, TERM }: Environment,
): Paint {
  const colored =
    FORCE_COLOR === undefined
      ? stream.isTTY === true && !NO_COLOR && TERM !== 'dumb'
      : !['0', 'false'].includes(FORCE_COLOR)
  // By default, styleText would check stdout of the process.
  return (style, text) => (colored ? styleText(style, text, { validateStream: false }) : text)
}

export { printable, printableJson, printableLines }

/** Resolves at the first Ctrl-C. While the program stops, further ones are ignored. */
export function interruption(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve())
  })
}

/** The color of an HTTP status. */
export function colorOf(status: number): 'red' | 'yellow' | 'green' {
  if (status >= 500) return 'red'
  return status >= 400 ? 'yellow' : 'green'
}
