import { createReadStream, writeSync } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'
import { isJson } from '../text/json-text.js'
import { nextTurn } from '../clock/wall.js'

/** A file of records, one JSON object a line, that is only ever added to. */
export interface SinkFile {
  /** How many records it held when it was opened. */
  readonly records: number
  /** The bytes of a record that was never finished, and is gone now: nobody was told that it was kept. */
  readonly torn: number
  /** Adds a line. Resolves once it is in the file. Rejects where it cannot be written. */
  append: (line: string) => Promise<void>
  close: () => Promise<void>
}

export interface SinkFileOptions {
  /** Waits for the disk, too, so that a loss of power loses nothing. */
  readonly fsync?: boolean | undefined
}

/** How each of our lines begins; a file that ends in another way is not ours to mend. */
const BEGINNING = '{"id":"'

/** Opens the file, or makes it. Raises what the file system says. */
export async function openSinkFile(path: string, options: SinkFileOptions = {}): Promise<SinkFile> {
  const handle = await open(path, 'a+')
  try {
    // A device, or another program's end of a pipe, has nothing to read.
    const isFile = (await handle.stat()).isFile()
    const { lines, tail, length } = isFile ? await scan(path) : { lines: 0, tail: '', length: 0 }
    const begun = tail.startsWith(BEGINNING) || (tail !== '' && BEGINNING.startsWith(tail))
    // Of Latin-1, a character is a byte.
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

interface Scanned {
  /** Of those that have an end. */
  lines: number
  /** What follows the last line's end, as Latin-1: it may be torn inside a character. */
  tail: string
  /** In bytes. */
  length: number
}

const LINE_END = 10

async function scan(path: string): Promise<Scanned> {
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

/** Lines that are written with one call, and what all who gave one are told. */
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
 * Writes what comes in one turn of the event loop with one call: what a write costs is the call.
 * Once it has returned, the bytes are the system's, and outlive the process however it ends.
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

  /** A disk that is full may have taken the half of a line, which would spoil the next one. */
  async #takeBack(written: number): Promise<void> {
    if (written === 0) return
    const { size } = await this.#handle.stat()
    await this.#handle.truncate(size - written).catch(() => {})
  }
}
