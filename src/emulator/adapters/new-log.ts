import { closeSync, fsync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { AnyRecord } from '../../service/engine/saved/saved-part.js'
import { attempt, tooLarge, unusable } from './folder-errors.js'
import { syncFolder } from './sync-folder.js'
import { toLine } from './world-log.js'

/** About how many characters are written at once. */
const CHUNK = 1024 * 1024

/** A new log that is written beside the old one. */
export class NewLog {
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
