import { closeSync, constants, mkdirSync, openSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { RECORDING_FILE } from '../../base/text/evidence.js'
import { RecordingError } from './recording-error.js'

const { O_APPEND, O_CREAT, O_EXCL, O_WRONLY } = constants

/** Only the user may read a recording: it may hold contents. */
const MODE = 0o600

/** The file of a recording that is being written. */
export class RecordingFile {
  readonly path: string
  readonly #descriptor: number
  readonly #failed: (error: NodeJS.ErrnoException) => void
  #size = 0
  #isOpen = true
  #hasFailed = false

  /** @param failed Called once, when a line can't be written. The recording ends there. */
  constructor(path: string, descriptor: number, failed: (error: NodeJS.ErrnoException) => void) {
    this.path = path
    this.#descriptor = descriptor
    this.#failed = failed
  }

  /** The size in bytes. */
  get size(): number {
    return this.#size
  }

  /**
   * Appends a line with one call. After it, the operating system has the line, so it survives the end of the
   * process. The call waits for a slow disk, so no lines pile up in memory.
   */
  write = (line: string): void => {
    if (!this.#isOpen || this.#hasFailed) return
    const bytes = Buffer.from(`${line}\n`)
    let written = 0
    try {
      while (written < bytes.length) written += writeSync(this.#descriptor, bytes, written)
      this.#size += written
    } catch (error) {
      // A reader tolerates half a line at the end.
      this.#hasFailed = true
      this.#failed(error as NodeJS.ErrnoException)
    }
  }

  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    closeSync(this.#descriptor)
  }

  /** Removes the file, because nothing was recorded. */
  remove(): void {
    this.close()
    unlinkSync(this.path)
  }
}

/**
 * Creates the file of a recording in a folder, and the folder if it is missing. It never overwrites a file.
 *
 * @throws {RecordingError} When the folder has a recording already, or can't be written.
 */
export function createRecordingFile(
  folder: string,
  failed: (error: NodeJS.ErrnoException) => void,
): RecordingFile {
  const path = join(folder, RECORDING_FILE)
  try {
    mkdirSync(folder, { recursive: true })
    return new RecordingFile(
      path,
      openSync(path, O_APPEND | O_CREAT | O_EXCL | O_WRONLY, MODE),
      failed,
    )
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    throw new RecordingError(
      code === 'EEXIST'
        ? `"${folder}" cannot be used: "${path}" exists already. A recording is never overwritten. Choose another folder, such as --to ${folder.replace(/[\\/]+$/, '')}-2.`
        : `Failed to create "${path}": ${message}. Choose a folder that you can write to.`,
      { cause: error },
    )
  }
}
