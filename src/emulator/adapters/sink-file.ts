import { createReadStream, writeSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { isJson } from '../../base/text/json-text.js'
import { nextTurn } from '../../base/clock/wall.js'

/** A file of records, one JSON object per line. Lines are only appended. */
export interface SinkFile {
  /** The number of records in the file when it was opened. */
  readonly records: number
  /** The size of an unfinished record that was removed. Its delivery was never acknowledged. */
  readonly torn: number
  /** Appends a line. Resolves when it is in the file. Rejects if it can't be written. */
  append: (line: string) => Promise<void>
  close: () => Promise<void>
}

export interface SinkFileOptions {
  /** Whether to wait for the disk, so that a power failure loses nothing. Default: false. */
  readonly fsync?: boolean | undefined
}

/** The start of what `ReceivedDelivery.toLine` returns. If the last line starts differently, another program wrote it, and it stays. */
const BEGINNING = '{"id":"'

/** Opens or creates the file. Rejects with the error of the file system. */
export async function openSinkFile(path: string, options: SinkFileOptions = {}): Promise<SinkFile> {
  const handle = await open(path, 'a+')
  try {
    // A device or a pipe has nothing to read.
    const isFile = (await handle.stat()).isFile()
    const { lines, tail, length } = isFile ? await scan(path) : { lines: 0, tail: '', length: 0 }
    const begun = tail.startsWith(BEGINNING) || (tail !== '' && BEGINNING.startsWith(tail))
    // In Latin-1, each character is one byte.
    const torn = begun && !isJson(tail) ? tail.length : 0
    if (torn > 0) await handle.truncate(length - torn)
    else if (tail !== '') await handle.appendFile('\n')
    const writer = new LineWriter(handle, options)
    return {
      records: torn > 0 || tail === '' ? lines : lines + 1,
      torn,
      append: (line) => writer.write(`${line}\n`),
      close: async () => {
        await writer.idle()
        await handle.close()
      },
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}

interface FileScan {
  /** The number of finished lines. */
  lines: number
  /** The text after the last line break, as Latin-1, because it may end inside a character. */
  tail: string
  /** In bytes. */
  length: number
}

const LINE_END = 10

async function scan(path: string): Promise<FileScan> {
  let lines = 0
  let length = 0
  let tail: Buffer[] = []
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    length += chunk.length
    const last = chunk.lastIndexOf(LINE_END)
    for (let at = chunk.indexOf(LINE_END); at !== -1; at = chunk.indexOf(LINE_END, at + 1)) lines++
    if (last === -1) tail.push(chunk)
    else tail = [chunk.subarray(last + 1)]
  }
  return { lines, length, tail: Buffer.concat(tail).toString('latin1') }
}

/** Lines that are written with one call, and the promise that their writers wait for. */
class Group {
  readonly lines: string[] = []
  readonly written: Promise<void>
  resolve!: () => void
  reject!: (error: unknown) => void

  constructor() {
    this.written = new Promise((resolve, reject) => {
      this.resolve = resolve
      this.reject = reject
    })
  }
}

/**
 * Writes all lines of one turn of the event loop with one call, because each call has a fixed cost.
 * After the call, the operating system has the bytes, and they survive the end of the process.
 */
class LineWriter {
  readonly #handle: FileHandle
  readonly #fsync: boolean
  #next: Group | undefined
  #writing: Promise<void> | undefined

  constructor(handle: FileHandle, { fsync = false }: SinkFileOptions) {
    this.#handle = handle
    this.#fsync = fsync
  }

  write(line: string): Promise<void> {
    const group = (this.#next ??= new Group())
    group.lines.push(line)
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined))
    return group.written
  }

  async idle(): Promise<void> {
    await this.#writing
  }

  async #writeAll(): Promise<void> {
    await nextTurn()
    for (let group = this.#next; group; group = this.#next) {
      this.#next = undefined
      try {
        await this.#writeBytes(Buffer.from(group.lines.join('')))
        group.resolve()
      } catch (error) {
        group.reject(error)
      }
    }
  }

  async #writeBytes(bytes: Buffer): Promise<void> {
    let written = 0
    try {
      while (written < bytes.length) written += writeSync(this.#handle.fd, bytes, written)
      if (this.#fsync) await this.#handle.datasync()
    } catch (error) {
      await this.#takeBack(written)
      throw error
    }
  }

  /** Removes the part of a line that was written before the disk was full. */
  async #takeBack(written: number): Promise<void> {
    if (written === 0) return
    const { size } = await this.#handle.stat()
    await this.#handle.truncate(size - written).catch(() => {})
  }
}
