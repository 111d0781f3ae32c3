import { BottomBlock } from './status-area.js'
import { painterFor, type Paint } from './paint.js'

/** Where the command writes to. */
export interface Terminal {
  write: (text: string) => void
  writeError: (text: string) => void
  paint: Paint
  /** Where a person looks on: lines below all others. */
  block?: BottomBlock
}

type Stream = Pick<NodeJS.WriteStream, 'write' | 'isTTY' | 'columns'>

const USUAL_COLUMNS = 80

/** What is written to these streams, for a person or for a program. */
export function terminalOf(
  stdout: Stream,
  stderr: Pick<Stream, 'write'>,
  environment: Readonly<Record<string, string | undefined>>,
): Terminal {
  const paint = painterFor(stdout, environment)
  const write = (text: string): void => void stdout.write(`${text}\n`)
  const writeError = (text: string): void => void stderr.write(`${text}\n`)
  if (!stdout.isTTY || environment.TERM === 'dumb') return { write, writeError, paint }
  const block = new BottomBlock({
    write: (text) => void stdout.write(text),
    columns: () => stdout.columns || USUAL_COLUMNS,
  })
  return {
    write: (text) => block.above(() => write(text)),
    writeError: (text) => block.above(() => writeError(text)),
    paint,
    block,
  }
}
