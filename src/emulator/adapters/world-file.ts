import {
  closeSync,
  fstatSync,
  fsync,
  fsyncSync,
  ftruncateSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { partOf } from '../saved-parts.js'
import type { AppendResult, StoredWorld, WorldStorage } from '../world-keeper.js'
import type { BlobFiles } from '../../service/platform/blob-files.js'
import type { SavedWorld } from '../../service/engine/saved/restore.js'
import type { AnyRecord } from '../../service/engine/saved/saved-part.js'
import { DataFolderError } from './data-folder-error.js'
import { attempt, unusable } from './folder-errors.js'
import type { FolderLock } from './folder-lock.js'
import { syncFolder } from './sync-folder.js'
import { toLine, toLines } from './world-log.js'

/** A world that was read from a file. */
export interface FoundWorld {
  readonly saved: SavedWorld
  /** The bytes of its complete saves. Undefined if the file can't be continued. */
  readonly length: number | undefined
  /** About how many of these bytes are the last records of things. */
  readonly live: number
}

interface WorldFileParts {
  file: string
  lock: FolderLock
  /** The contents beside it. */
  contents: BlobFiles
  secret: () => string
  /** The world in the file, if there is one. */
  found: FoundWorld | undefined
  /** The largest log, in bytes. */
  most: number
  /** How many bytes the log may grow by, besides the size of the world. */
  room: number
}

/** How many records are written before other work has its turn. */
const SLICE = 500
/** About how many characters are written at once. */
const CHUNK = 1024 * 1024

/** The file of a world: a log that changes are appended to, and that is compacted as it grows. */
export class WorldFile implements WorldStorage {
  readonly contents: BlobFiles
  readonly secret: () => string
  readonly #file: string
  readonly #lock: FolderLock
  readonly #most: number
  readonly #room: number
  #saved: SavedWorld | undefined
  /** The open log. Undefined before the first world is written. */
  #log: number | undefined
  /** The size of the log, in bytes. */
  #size = 0
  /** The size that the log has when it is compacted next. */
  #compactAt = Infinity
  #compaction: Compaction | undefined

  constructor({ file, lock, contents, secret, found, most, room }: WorldFileParts) {
    this.contents = contents
    this.secret = secret
    this.#file = file
    this.#lock = lock
    this.#most = most
    this.#room = room
    this.#saved = found?.saved
    if (found?.length !== undefined) this.#continue(found.length, found.live)
  }

  takeSaved(): SavedWorld | undefined {
    const saved = this.#saved
    this.#saved = undefined
    return saved
  }

  get continues(): boolean {
    return this.#log !== undefined
  }

  append(records: readonly AnyRecord[]): AppendResult {
    const log = this.#log
    if (log === undefined) return 'replace'
    this.#assertThere(log)
    const text = Buffer.from(toLines(records))
    if (this.#size + text.length > this.#most) return 'replace'
    try {
      writeFileSync(log, text)
    } catch (error) {
      // Without the part that was written, the log can be continued.
      takeBack(log, this.#size)
      throw unusable(this.#file, error)
    }
    this.#size += text.length
    this.#compaction?.follow(text)
    return this.#size > this.#compactAt ? 'compact' : 'saved'
  }

  replace(records: Iterable<AnyRecord>): void {
    this.stopCompacting()
    this.#assertOurs()
    const compaction = this.#compactionOf(records)
    try {
      while (!compaction.write(Infinity));
      compaction.sync()
      this.#use(compaction)
    } catch (error) {
      compaction.drop()
      throw error
    }
  }

  async compact(records: Iterable<AnyRecord>, turn: () => Promise<void>): Promise<void> {
    if (this.#compaction) return
    // If it fails, the log grows by as much again before the next attempt.
    this.#compactAt = this.#size + this.#size + this.#room
    this.#assertOurs()
    const compaction = this.#compactionOf(records)
    this.#compaction = compaction
    try {
      while (!compaction.write(SLICE)) {
        await turn()
        if (this.#compaction !== compaction) return
      }
      await compaction.syncLater()
      if (this.#compaction !== compaction) return
      this.#assertOurs()
      this.#use(compaction)
    } catch (error) {
      // If it was stopped, its file is closed.
      if (this.#compaction !== compaction) return
      this.stopCompacting()
      throw error
    }
  }

  async prepare(saved: SavedWorld, turn: () => Promise<void>): Promise<StoredWorld> {
    this.#assertOurs()
    const contents = await this.contents.prepare(saved.contents, turn)
    let log: Compaction | undefined
    const drop = (): void => {
      contents.drop()
      log?.drop()
    }
    try {
      log = this.#compactionOf(recordsBesideContents(saved), IMPORTED)
      while (!log.write(SLICE)) await turn()
      await log.syncLater()
    } catch (error) {
      drop()
      throw error
    }
    const use = (): void => {
      this.stopCompacting()
      this.#assertOurs()
      this.#use(log)
    }
    return { nameContents: () => contents.keep(), use, drop }
  }

  stopCompacting(): void {
    this.#compaction?.drop()
    this.#compaction = undefined
  }

  close(): void {
    this.stopCompacting()
    if (this.#log !== undefined) closeSync(this.#log)
    this.#log = undefined
    this.#lock.release()
  }

  #compactionOf(records: Iterable<AnyRecord>, ending = COMPACTED): Compaction {
    return new Compaction(records, { file: this.#file, ending, most: this.#most })
  }

  /** Continues the log that was there, without the save that was not completed. */
  #continue(length: number, live: number): void {
    this.#log = attempt(this.#file, () => {
      // A process that was killed while it compacted the log leaves this.
      for (const ending of [COMPACTED, IMPORTED]) rmSync(this.#file + ending, { force: true })
      const log = openSync(this.#file, 'a')
      if (fstatSync(log).size > length) ftruncateSync(log, length)
      return log
    })
    this.#size = length
    this.#compactAt = 2 * live + this.#room
  }

  /** Puts a new log in the place of the old one. */
  #use(compaction: Compaction): void {
    const { log, size } = compaction.finish()
    if (this.#compaction === compaction) this.#compaction = undefined
    if (this.#log !== undefined) closeSync(this.#log)
    this.#log = log
    this.#size = size
    this.#compactAt = 2 * size + this.#room
  }

  /** A file that was deleted or replaced can still be written, but nobody would ever read it. */
  #assertThere(log: number): void {
    if (attempt(this.#file, () => fstatSync(log)).nlink > 0) return
    // If only the file is gone, the next save writes the world again.
    this.#assertOurs()
    throw new DataFolderError(
      'SVTRAIN_DATA_UNUSABLE',
      `Failed to use ${this.#file}: it was deleted while the emulator runs. The next change writes the whole world again.`,
    )
  }

  #assertOurs(): void {
    const folder = dirname(this.#file)
    const log = this.#log === undefined ? undefined : fstatSync(this.#log).ino
    const there = statSync(this.#file, { throwIfNoEntry: false })?.ino
    if (this.#lock.held() && (log === undefined || there === undefined || there === log)) return
    throw new DataFolderError(
      'SVTRAIN_DATA_UNUSABLE',
      `Failed to use ${folder}: it was deleted or replaced while the emulator runs. Nothing more is saved. Restart the emulator. To keep its world, take a snapshot first.`,
    )
  }
}

/** A new log that is written beside the old one. */
class Compaction {
  readonly #file: string
  readonly #draft: string
  readonly #most: number
  readonly #records: Iterator<AnyRecord>
  #next: IteratorResult<AnyRecord>
  #log: number | undefined
  #size = 0
  /** What was appended to the old log in the meantime. It replaces what this log has of the same things. */
  readonly #followed: Buffer[] = []

  constructor(
    records: Iterable<AnyRecord>,
    { file, ending, most }: { file: string; ending: string; most: number },
  ) {
    this.#file = file
    this.#draft = file + ending
    this.#most = most
    this.#records = records[Symbol.iterator]()
    this.#next = this.#records.next()
    // To append, so that a part of a write can be taken back.
    this.#log = attempt(file, () => {
      rmSync(this.#draft, { force: true })
      return openSync(this.#draft, 'ax', 0o600)
    })
  }

  /** Writes some records. Returns whether all of them are written. */
  write(count: number): boolean {
    let text = ''
    for (let written = 0; written < count && !this.#next.done; written++) {
      const record = this.#next.value
      this.#next = this.#records.next()
      text += toLine(record, { isLast: this.#next.done === true })
      if (text.length < CHUNK) continue
      this.#append(Buffer.from(text))
      text = ''
    }
    this.#append(Buffer.from(text))
    return this.#next.done === true
  }

  follow(text: Buffer): void {
    this.#followed.push(text)
  }

  sync(): void {
    attempt(this.#file, () => fsyncSync(this.#log!))
  }

  /** Waits for the disk while other work continues. */
  async syncLater(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      fsync(this.#log!, (error) => (error ? reject(unusable(this.#file, error)) : resolve()))
    })
  }

  /** Gives the log its name. Until then, the old log is complete. */
  finish(): { log: number; size: number } {
    const log = this.#log!
    for (const text of this.#followed) this.#append(text)
    attempt(this.#file, () => {
      if (this.#followed.length > 0) fsyncSync(log)
      renameSync(this.#draft, this.#file)
    })
    this.#log = undefined
    syncFolder(dirname(this.#file))
    return { log, size: this.#size }
  }

  /** Removes what was written. On a full disk, it takes the space that is missing. */
  drop(): void {
    if (this.#log === undefined) return
    closeSync(this.#log)
    this.#log = undefined
    rmSync(this.#draft, { force: true })
  }

  #append(text: Buffer): void {
    this.#size += text.length
    if (this.#size > this.#most) {
      throw tooLarge('save', { file: this.#file, bytes: this.#size, most: this.#most })
    }
    attempt(this.#file, () => writeFileSync(this.#log!, text))
  }
}

/** What the names of new logs end with, until they have the name of the log. */
const COMPACTED = '.new'
const IMPORTED = '.import'

function* recordsBesideContents({ records }: SavedWorld): Generator<AnyRecord> {
  for (const record of records) if (partOf(record.kind)?.isContent !== true) yield record
}

function takeBack(log: number, size: number): void {
  try {
    ftruncateSync(log, size)
  } catch {
    // A reader ignores a save that is not complete, and the next save replaces the log.
  }
}

/** The error of a world that is larger than a folder may hold. */
export function tooLarge(
  what: 'open' | 'save',
  { file, bytes, most }: { file: string; bytes: number; most: number },
): DataFolderError {
  const [is, size] = [what === 'open' ? '' : 'more than ', bytes.toLocaleString('en-US')]
  return new DataFolderError(
    'SVTRAIN_DATA_TOO_LARGE',
    `The world is too large to ${what} in ${dirname(file)}: ${is}${size} bytes, at most ${most.toLocaleString('en-US')}. Reset it, or start in another folder.`,
  )
}
