import { createHash } from 'node:crypto'
import {
  closeSync,
  createReadStream,
  fsync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type {
  BlobFiles,
  ContentWriter,
  PreparedContents,
} from '../../service/platform/blob-files.js'
import { toBase64 } from '../../base/text/bytes.js'
import { fromHex, hexOf, md5Of } from '../../service/platform/digest.js'
import { PlatformError } from '../../service/platform/platform-error.js'
import { ifThere, unusable } from './folder-errors.js'
import { syncFolder } from './sync-folder.js'

/** What the names of files end with that are not complete. */
const PART = '.part'
const CHUNK = 256 * 1024
/** How many contents of a world are written at once. */
const AT_ONCE = 4

/**
 * Opens the folder of the contents of a world: one file for each content, with its MD5 in hexadecimal digits as its
 * name. A file has its name only when all of it is on disk. The folder is created with the first content.
 *
 * @throws {DataFolderError} When it is not accessible.
 */
export function openContentFolder(path: string): BlobFiles {
  // A process that was killed during an upload leaves these.
  for (const name of namesIn(path)) {
    if (name.endsWith(PART)) rmSync(join(path, name), { force: true })
  }
  return new ContentFolder(path)
}

function namesIn(path: string): readonly string[] {
  return ifThere(path, () => readdirSync(path)) ?? []
}

class ContentFolder implements BlobFiles {
  readonly #path: string
  #begun = 0

  constructor(path: string) {
    this.#path = path
  }

  write(digest: string, bytes: Uint8Array): void {
    const writer = this.begin()
    try {
      writer.write(bytes)
      writer.sync()
      writer.keep(digest)
    } catch (error) {
      writer.drop()
      throw error
    }
  }

  begin(): PartFile {
    return writing(this.#path, () => {
      mkdirSync(this.#path, { recursive: true })
      return new PartFile(this.#path, `${process.pid}-${++this.#begun}${PART}`)
    })
  }

  async prepare(
    contents: ReadonlyMap<string, Uint8Array>,
    turn: () => Promise<void>,
  ): Promise<PreparedContents> {
    const parts = new Map<string, PartFile>()
    const drop = (): void => parts.forEach((part) => part.drop())
    const keep = (): void => {
      for (const [digest, part] of parts) part.name(digest)
      if (parts.size > 0) syncFolder(this.#path)
    }
    const waiting = contents.entries()
    let failure: { readonly error: unknown } | undefined
    // The disk takes some at once as fast as one.
    const write = async (): Promise<void> => {
      for (const [digest, bytes] of waiting) {
        // All parts are dropped then.
        if (failure) return
        const part = this.begin()
        parts.set(digest, part)
        for (let at = 0; at < bytes.length; at += CHUNK) {
          part.write(bytes.subarray(at, at + CHUNK))
          await turn()
        }
        await part.finish()
      }
    }
    const note = (error: unknown): void => {
      failure ??= { error }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, () => write().catch(note)))
    if (failure) {
      drop()
      throw failure.error
    }
    return { keep, drop }
  }

  open(digest: string, size: number): AsyncIterable<Uint8Array> {
    const file = this.#fileOf(digest)
    checkSize(file, size)
    return checked(file, digest)
  }

  read(digest: string, size: number): Uint8Array {
    const file = this.#fileOf(digest)
    checkSize(file, size)
    const bytes = reading(file, () => readFileSync(file))
    if (toBase64(md5Of(bytes)) !== digest) throw damaged(file)
    return bytes
  }

  remove(digest: string): void {
    rmSync(this.#fileOf(digest), { force: true })
  }

  has(digest: string, size: number): boolean {
    return statSync(this.#fileOf(digest), { throwIfNoEntry: false })?.size === size
  }

  *list(): Generator<string> {
    for (const name of namesIn(this.#path)) if (/^[0-9a-f]{32}$/.test(name)) yield fromHex(name)
  }

  #fileOf(digest: string): string {
    return join(this.#path, hexOf(digest))
  }
}

/** A content that is being written. */
class PartFile implements ContentWriter {
  readonly #folder: string
  readonly #path: string
  readonly #hash = createHash('md5')
  #file: number | undefined

  constructor(folder: string, name: string) {
    this.#folder = folder
    this.#path = join(folder, name)
    this.#file = openSync(this.#path, 'wx', 0o600)
  }

  write(bytes: Uint8Array): void {
    writing(this.#path, () => writeFileSync(this.#file!, bytes))
    this.#hash.update(bytes)
  }

  sync(): void {
    writing(this.#path, () => fsyncSync(this.#file!))
  }

  async finish(): Promise<string> {
    await new Promise<void>((resolve, reject) => {
      fsync(this.#file!, (error) => (error ? reject(unwritable(this.#path, error)) : resolve()))
    })
    // Thousands of contents may wait for their names.
    this.#close()
    return this.#hash.digest('base64')
  }

  keep(digest: string): undefined {
    this.name(digest)
    syncFolder(this.#folder)
  }

  /** Gives the content its name, which a loss of power may take away again until the folder is synchronized. */
  name(digest: string): void {
    this.#close()
    writing(this.#path, () => renameSync(this.#path, join(this.#folder, hexOf(digest))))
  }

  drop(): void {
    this.#close()
    rmSync(this.#path, { force: true })
  }

  #close(): void {
    if (this.#file !== undefined) closeSync(this.#file)
    this.#file = undefined
  }
}

/** Reads a file, and says at its end whether it is the content that was written. */
async function* checked(file: string, digest: string): AsyncGenerator<Uint8Array> {
  const hash = createHash('md5')
  let last: Buffer | undefined
  for await (const chunk of createReadStream(file, { highWaterMark: CHUNK })) {
    // The last chunk is held back, so that a damaged content never looks complete.
    if (last) yield last
    last = chunk as Buffer
    hash.update(last)
  }
  if (hash.digest('base64') !== digest) throw damaged(file)
  if (last) yield last
}

function checkSize(file: string, size: number): void {
  const found = reading(file, () => statSync(file)).size
  if (found !== size) throw damaged(file)
}

function reading<T>(file: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new PlatformError(
      'lost',
      `Failed to read the content: ${(error as Error).message}. ${AGAIN}`,
    )
  }
}

function damaged(file: string): PlatformError {
  return new PlatformError(
    'lost',
    `The content is damaged: ${file} is not what was written. ${AGAIN}`,
  )
}

const AGAIN = 'Restore a copy of the data folder, or log the file in a new version.'

function writing<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw unwritable(path, error)
  }
}

function unwritable(path: string, error: unknown): PlatformError {
  return new PlatformError('disk', unusable(path, error).message)
}
