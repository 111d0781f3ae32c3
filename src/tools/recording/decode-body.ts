import type { BackgroundErrors } from '../../base/text/background-errors.js'
import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'

interface Encoding {
  readonly stream: () => Transform
  readonly whole: (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array
}

// What has arrived is passed on at once. A body that ends too early is an error at its end.
const SYNC = { flush: zlib.constants.Z_SYNC_FLUSH }

const gzip: Encoding = { stream: () => zlib.createUnzip(SYNC), whole: zlib.unzipSync }

/** Node has it from 22.15 on. */
const { createZstdDecompress, zstdDecompressSync } = zlib as Partial<{
  createZstdDecompress: Encoding['stream']
  zstdDecompressSync: Encoding['whole']
}>

const encodings: Readonly<Record<string, Encoding>> = {
  gzip,
  'x-gzip': gzip,
  deflate: gzip,
  br: { stream: () => zlib.createBrotliDecompress(), whole: zlib.brotliDecompressSync },
  ...(createZstdDecompress &&
    zstdDecompressSync && { zstd: { stream: createZstdDecompress, whole: zstdDecompressSync } }),
}

const PLAIN = ['', 'identity']

/** Returns the encoding of a body, or why nobody here can decode it. Undefined: it is plain. */
function encodingOf(named = ''): Encoding | string | undefined {
  const name = named.trim().toLowerCase()
  if (PLAIN.includes(name)) return undefined
  if (Object.hasOwn(encodings, name)) return encodings[name]!
  const known = Object.keys(encodings).filter((each) => each !== 'x-gzip')
  return `its content-encoding is ${JSON.stringify(named)}, and this Node decodes ${known.join(', ')}`
}

/** The text of a whole body, or why it cannot be decoded. Neither: the text is longer than wanted. */
export interface DecodedBody {
  readonly text?: string
  readonly problem?: string
}

/** Decodes a whole body of at most `most` bytes. */
export function decodedBody(
  bytes: Uint8Array,
  named: string | undefined,
  most: number,
): DecodedBody {
  const encoding = encodingOf(named)
  if (encoding === undefined || bytes.length === 0) return { text: new TextDecoder().decode(bytes) }
  if (typeof encoding === 'string') return { problem: encoding }
  try {
    return { text: new TextDecoder().decode(encoding.whole(bytes, { maxOutputLength: most })) }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code === 'ERR_BUFFER_TOO_LARGE' ? {} : { problem: brokenText(named, message) }
  }
}

function brokenText(named: string | undefined, message: string): string {
  return `it is no ${named?.trim()}: ${message}`
}

/** Decodes a body while it arrives. */
export interface BodyDecoder {
  /** Returns whether it takes more. Otherwise `drained` is called when it does. */
  write(bytes: Uint8Array): boolean
  /**
   * Calls `done` after the last text, with the reason if the body can't be decoded.
   *
   * @param isWhole Whether all of the body was written. The beginning of a body lacks its end.
   */
  end(isWhole: boolean, done: (problem: string | undefined) => void): void
}

interface Decoding {
  readonly text: (text: string) => void
  readonly drained: () => void
  readonly background: BackgroundErrors
}

/** Creates a decoder that passes text on, as far as the body can be decoded. */
export function bodyDecoder(
  named: string | undefined,
  { text, drained, background }: Decoding,
): BodyDecoder {
  const encoding = encodingOf(named)
  const decoder = new TextDecoder()
  if (encoding === undefined) {
    return {
      write(bytes) {
        text(decoder.decode(bytes, { stream: true }))
        return true
      },
      end(_isWhole, done) {
        text(decoder.decode())
        done(undefined)
      },
    }
  }
  // A call for its head alone is answered with an encoding and no body.
  let isEmpty = true
  if (typeof encoding === 'string') {
    return {
      write() {
        isEmpty = false
        return true
      },
      end: (_isWhole, done) => done(isEmpty ? undefined : encoding),
    }
  }
  const stream = encoding.stream()
  let broken: NodeJS.ErrnoException | undefined
  let finished = (): void => {}
  const on = <Given>(event: string, work: (given: Given) => void): void => {
    stream.on(event, background.callback('decode a body', work))
  }
  on('data', (bytes: Buffer) => text(decoder.decode(bytes, { stream: true })))
  on('drain', drained)
  on('end', () => {
    text(decoder.decode())
    finished()
  })
  on('error', (error: NodeJS.ErrnoException) => {
    broken = error
    drained()
    finished()
  })
  return {
    write(bytes) {
      isEmpty = false
      return broken !== undefined || stream.write(bytes)
    },
    end(isWhole, done) {
      finished = () => {
        const isProblem = broken && (isWhole || broken.code !== CUT_OFF)
        done(isProblem ? brokenText(named, broken!.message) : undefined)
      }
      if (broken || isEmpty) return finished()
      stream.end()
    },
  }
}

/** The code of zlib for a body without its end. */
const CUT_OFF = 'Z_BUF_ERROR'
