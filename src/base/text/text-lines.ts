import { joinBytes } from './bytes.js'
import { EmulatorError } from './emulator-error.js'

/** Thrown when bytes are not lines of text in UTF-8. The message says what they are, and what to do. */
export class NotTextError extends EmulatorError {
  override readonly name = 'NotTextError'
  readonly code = 'SVTRAIN_NOT_TEXT'
}

/** How files of other formats begin, and how to get lines of JSON from them. */
const FORMATS: readonly (readonly [start: readonly number[], format: string])[] = [
  [[0x1f, 0x8b], 'compressed with gzip: unpack it with gunzip'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'compressed with zstd: unpack it with zstd -d'],
  [[0x42, 0x5a, 0x68], 'compressed with bzip2: unpack it with bunzip2'],
  [[0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], 'compressed with xz: unpack it with unxz'],
  [[0x37, 0x7a, 0xbc, 0xaf], 'a 7-Zip archive: unpack it, and name the file in it'],
  [[0x50, 0x4b, 3, 4], 'a ZIP archive: unpack it with unzip, and name the file in it'],
  [[0x50, 0x4b, 5, 6], 'an empty ZIP archive'],
  [[0x41, 0x52, 0x52, 0x4f, 0x57, 0x31], 'an Arrow file: write it as JSON Lines with its library'],
  [
    [0x50, 0x41, 0x52, 0x31],
    `a Parquet file. Convert it: python -c "import polars; polars.read_parquet('{rows}.parquet').write_ndjson('{rows}.jsonl')", or duckdb -c "COPY (FROM '{rows}.parquet') TO '{rows}.jsonl' (FORMAT json)"`,
  ],
  [[0xff, 0xfe, 0, 0], 'encoded as UTF-32: save it as UTF-8'],
  [[0xff, 0xfe], 'encoded as UTF-16: save it as UTF-8, such as with Set-Content -Encoding utf8'],
  [[0xfe, 0xff], 'encoded as UTF-16: save it as UTF-8'],
]

const LONGEST_START = 8

const LINE_END = 0x0a

/**
 * Splits bytes into lines of text, without line ends. The last line needs no line end. The pieces of a line are joined
 * only once, because joining them one by one takes quadratic time.
 *
 * @param name - The file without its ending, for commands that an error shows.
 *
 * @throws {NotTextError} When they are compressed, of another format, or not in UTF-8.
 */
export async function* textLinesOf(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  name = 'rows',
): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let line = 1
  const decode = (piece?: Uint8Array): string => {
    try {
      return decoder.decode(piece, { stream: piece !== undefined })
    } catch {
      throw new NotTextError(
        `the file is not UTF-8, first in line ${line}: save it as UTF-8, such as with iconv -f WINDOWS-1252 -t UTF-8.`,
      )
    }
  }
  let pieces: string[] = []
  for await (const chunk of checked(bytes, name)) {
    for (let from = 0, end; from < chunk.length; from = end) {
      end = chunk.indexOf(LINE_END, from) + 1 || chunk.length
      const piece = decode(chunk.subarray(from, end))
      pieces.push(piece)
      if (!piece.endsWith('\n')) continue
      yield pieces.join('').slice(0, -1)
      pieces = []
      line++
    }
  }
  const rest = pieces.join('') + decode()
  if (rest !== '') yield rest
}

async function* checked(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array> {
  // A stream may come byte by byte.
  let start: Uint8Array = new Uint8Array()
  for await (const chunk of bytes) {
    if (start.length >= LONGEST_START) {
      yield chunk
      continue
    }
    start = joinBytes([start, chunk])
    if (start.length < LONGEST_START) continue
    assertText(start, name)
    yield start
  }
  if (start.length >= LONGEST_START) return
  assertText(start, name)
  yield start
}

/**
 * Checks how the bytes of a file begin.
 *
 * @throws {NotTextError} When they are compressed, of another format, or not in UTF-8.
 */
export function assertText(bytes: Uint8Array, name = 'rows'): void {
  const start = [...bytes.subarray(0, LONGEST_START)]
  const found = FORMATS.find(([magic]) => magic.every((byte, at) => start[at] === byte))
  const format = found?.[1] ?? wideText(start)
  if (format !== undefined)
    throw new NotTextError(`the file is ${format.replaceAll('{rows}', name)}.`)
}

/** Every second byte of JSON in UTF-16 is 0. */
function wideText(start: readonly number[]): string | undefined {
  const zeros = start.filter((byte) => byte === 0).length
  if (zeros === 0) return undefined
  const isWide = zeros * 2 >= start.length && (start[0] === 0 || start[1] === 0)
  return isWide ? 'encoded as UTF-16 or UTF-32: save it as UTF-8' : 'not text'
}
