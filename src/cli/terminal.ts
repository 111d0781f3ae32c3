import { styleText } from 'node:util'
import { StatusArea } from './status-area.js'

/** The terminal, or the files, that the program writes to. */
export interface Terminal {
  write: (text: string) => void
  writeError: (text: string) => void
  paint: Paint
  /** Lines that stay below all others. Only present if stdout is a terminal. */
  statusArea?: StatusArea
}

type Style = Parameters<typeof styleText>[0]

/** Colors a text. Returns it unchanged if colors are off. */
export type Paint = (style: Style, text: string) => string

type Stream = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>

const USUAL_COLUMNS = 80

/** A terminal that writes to these streams, with colors and a status area if stdout is a real terminal. */
export function terminalOf(
  stdout: Stream,
  stderr: Pick<Stream, 'write'>,
  environment: Readonly<Record<string, string | undefined>>,
): Terminal {
  const paint = painterFor(stdout, environment)
  const write = (text: string): void => void stdout.write(`${text}\n`)
  const writeError = (text: string): void => void stderr.write(`${text}\n`)
  if (!stdout.isTTY || environment.TERM === 'dumb') return { write, writeError, paint }
  const statusArea = new StatusArea({
    write: (text) => void stdout.write(text),
    columns: () => stdout.columns || USUAL_COLUMNS,
  })
  return {
    write: (text) => statusArea.above(() => write(text)),
    writeError: (text) => statusArea.above(() => writeError(text)),
    paint,
    statusArea,
  }
}

/** Colors on a terminal, unless the environment forbids it (https://no-color.org). */
export function painterFor(
  stream: { isTTY?: boolean },
  { NO_COLOR, TERM }: Readonly<Record<string, string | undefined>>,
): Paint {
  const colored = stream.isTTY === true && !NO_COLOR && TERM !== 'dumb'
  // By default, styleText would check stdout of the process.
  return (style, text) => (colored ? styleText(style, text, { validateStream: false }) : text)
}

// The C0 and C1 control characters (some terminals treat U+009B like ESC), line and paragraph separators,
// and the marks that change the direction of writing.
// eslint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Escapes control characters, so that text from clients and files cannot control the terminal. */
export function printable(text: string): string {
  return text.replaceAll(CONTROL, escaped)
}

/** Escapes the control characters in each line of a text. */
export function printableLines(text: string): string {
  return text.split('\n').map(printable).join('\n')
}

/** One line of JSON. Also escapes the control characters that JSON allows. */
export function printableJson(value: unknown): string {
  return printable(JSON.stringify(value))
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Resolves at the first Ctrl-C. While the program stops, further ones are ignored. */
export function interruption(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => resolve())
  })
}
