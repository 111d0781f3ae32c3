import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
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
import { NewLog } from './new-log.js'
import { toLines } from './world-log.js'

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
/** The file of a world: a log that changes are appended to, and that is compacted as it grows. */
export class WorldFile implements WorldStorage {
  readonly contents: BlobFiles
  readonly secret: () => string
  readonly #place: Pick<WorldFileParts, 'file' | 'lock' | 'most' | 'room'>
  #saved: SavedWorld | undefined
  /** The open log. Undefined before the first world is written. */
  #log: number | undefined
  /** The size of the log, in bytes. */
  #size = 0
  /** The size that the log has when it is compacted next. */
  #compactAt = Infinity
  #compaction: NewLog | undefined

  constructor({ contents, secret, found, ...place }: WorldFileParts) {
    this.contents = contents
    this.secret = secret
    this.#place = place
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
    if (this.#size + text.length > this.#place.most) return 'replace'
    try {
      writeFileSync(log, text)
    } catch (error) {
      // Without the part that was written, the log can be continued.
      takeBack(log, this.#size)
      throw unusable(this.#place.file, error)
    }
    this.#size += text.length
    this.#compaction?.follow(text)
    return this.#size > this.#compactAt ? 'compact' : 'saved'
  }

  replace(records: Iterable<AnyRecord>): void {
    this.stopCompacting()
    this.#assertOurs()
    const log = this.#newLog(records)
    try {
      while (!log.write(Infinity));
      log.sync()
      this.#use(log)
    } catch (error) {
      log.drop()
      throw error
    }
  }

  async compact(records: Iterable<AnyRecord>, turn: () => Promise<void>): Promise<void> {
    if (this.#compaction) return
    // If it fails, the log grows by as much again before the next attempt.
    this.#compactAt = this.#size + this.#size + this.#place.room
    this.#assertOurs()
    const compaction = this.#newLog(records)
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
    let log: NewLog | undefined
    const drop = (): void => {
      contents.drop()
      log?.drop()
    }
    try {
      log = this.#newLog(recordsBesideContents(saved), IMPORTED)
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
    this.#place.lock.release()
  }

  #newLog(records: Iterable<AnyRecord>, ending = COMPACTED): NewLog {
    return new NewLog(records, { file: this.#place.file, ending, most: this.#place.most })
  }

  /** Continues the log that was there, without the save that was not completed. */
  #continue(length: number, live: number): void {
    this.#log = attempt(this.#place.file, () => {
      // A process that was killed while it compacted the log leaves this.
      for (const ending of [COMPACTED, IMPORTED]) rmSync(this.#place.file + ending, { force: true })
      const log = openSync(this.#place.file, 'a')
      if (fstatSync(log).size > length) ftruncateSync(log, length)
      return log
    })
    this.#size = length
    this.#compactAt = 2 * live + this.#place.room
  }

  /** Puts a new log in the place of the old one. */
  #use(fresh: NewLog): void {
    const { log, size } = fresh.finish()
    if (this.#compaction === fresh) this.#compaction = undefined
    if (this.#log !== undefined) closeSync(this.#log)
    this.#log = log
    this.#size = size
    this.#compactAt = 2 * size + this.#place.room
  }

  /** A file that was deleted or replaced can still be written, but nobody would ever read it. */
  #assertThere(log: number): void {
    if (attempt(this.#place.file, () => fstatSync(log)).nlink > 0) return
    // If only the file is gone, the next save writes the world again.
    this.#assertOurs()
    throw new DataFolderError(
      'SVTRAIN_DATA_UNUSABLE',
      `Failed to use ${this.#place.file}: it was deleted while the emulator runs. The next change writes the whole world again.`,
    )
  }

  #assertOurs(): void {
    const folder = dirname(this.#place.file)
    const log = this.#log === undefined ? undefined : fstatSync(this.#log).ino
    const there = statSync(this.#place.file, { throwIfNoEntry: false })?.ino
    if (this.#place.lock.held() && (log === undefined || there === undefined || there === log))
      return
    throw new DataFolderError(
      'SVTRAIN_DATA_UNUSABLE',
      `Failed to use ${folder}: it was deleted or replaced while the emulator runs. Nothing more is saved. Restart the emulator. To keep its world, take a snapshot first.`,
    )
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
