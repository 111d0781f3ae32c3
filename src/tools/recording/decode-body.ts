import type { BackgroundErrors } from '../../base/text/background-errors.js'
import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'

const SYNC = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH }

interface Encoding {
  readonly stream: () => Transform
  readonly whole: (bytes: Uint8Array, maxOutputLength: number) => Uint8Array
}

const gzip: Encoding = {
  stream: () => zlib.createUnzip(SYNC),
  whole: (bytes, maxOutputLength) => zlib.unzipSync(bytes, { ...SYNC, maxOutputLength }),
}

const brotli: Encoding = {
  stream: () => zlib.createBrotliDecompress(),
  whole: (bytes, maxOutputLength) => zlib.brotliDecompressSync(bytes, { maxOutputLength }),
}

/** Node has it from 22.15 on. */
const { createZstdDecompress, zstdDecompressSync } = zlib as Partial<{
  createZstdDecompress: () => Transform
  zstdDecompressSync: (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array
}>

const encodings: Readonly<Record<string, Encoding | undefined>> = {
  gzip,
  'x-gzip': gzip,
  deflate: gzip,
  br: brotli,
  zstd:
    createZstdDecompress && zstdDecompressSync
      ? {
          stream: createZstdDecompress,
          whole: (bytes, maxOutputLength) => zstdDecompressSync(bytes, { maxOutputLength }),
        }
      : undefined,
}

function isPlain(encoding: string | undefined): boolean {
  return encoding === undefined || ['', 'identity'].includes(encoding.trim().toLowerCase())
}

function encodingOf(name: string): Encoding | undefined {
  return encodings[name.trim().toLowerCase()]
}

/** Decodes a whole body. Undefined: it can't be decoded, or it is longer than `most`. */
export function decodedBody(
  bytes: Uint8Array,
  encoding: string | undefined,
  most: number,
): string | undefined {
  if (isPlain(encoding)) return new TextDecoder().decode(bytes)
  try {
    const decoded = encodingOf(encoding!)?.whole(bytes, most)
    return decoded && new TextDecoder().decode(decoded)
  } catch {
    return undefined
  }
}

/** Decodes a body while it arrives. */
export interface BodyDecoder {
  /** Returns whether it takes more. Otherwise `drained` is called when it does. */
  write(bytes: Uint8Array): boolean
  /** Calls `done` after the last text. */
  end(done: () => void): void
}

interface Decoding {
  readonly text: (text: string) => void
  readonly drained: () => void
  readonly background: BackgroundErrors
}

/** Creates a decoder that passes text on. A body that can't be decoded has no text. */
export function bodyDecoder(
  encoding: string | undefined,
  { text, drained, background }: Decoding,
): BodyDecoder {
  const decoder = new TextDecoder()
  if (isPlain(encoding)) {
    return {
      write(bytes) {
        text(decoder.decode(bytes, { stream: true }))
        return true
      },
      end(done) {
        text(decoder.decode())
        done()
      },
    }
  }
  const stream = encodingOf(encoding!)?.stream()
  if (!stream) return { write: () => true, end: (done) => done() }
  let isBroken = false
  let finished = (): void => {}
  const on = (event: string, work: (bytes: Buffer) => void): void => {
    stream.on(event, background.callback('decode a body', work))
  }
  on('data', (bytes) => text(decoder.decode(bytes, { stream: true })))
  on('drain', drained)
  on('end', () => {
    text(decoder.decode())
    finished()
  })
  on('error', () => {
    isBroken = true
    drained()
    finished()
  })
  return {
    write: (bytes) => isBroken || stream.write(bytes),
    end(done) {
      if (isBroken) return done()
      finished = done
      stream.end()
    },
  }
}
