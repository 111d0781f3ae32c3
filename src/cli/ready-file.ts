import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { pid } from 'node:process'
import { parseJson } from '../base/text/json-text.js'
import { printable } from './terminal.js'
import { textOfFile } from './text-of-file.js'
import { UsageError } from './usage-error.js'

/** The file of `--ready-file`: it exists while the program is ready. */
export interface ReadyFile {
  /** Writes the file at once as a whole, so that no reader sees a part of it. */
  write: (entry: object) => void
  /** Removes the file, unless another program has replaced it. */
  remove: () => void
}

const none: ReadyFile = { write() {}, remove() {} }

/**
 * Checks that the file can be written, and removes the one of an earlier run. Call it before anything listens.
 *
 * @throws {UsageError} When the file cannot be written, or holds something else.
 */
export function prepareReadyFile(path: string | undefined): ReadyFile {
  if (path === undefined) return none
  removeStale(path)
  const beside = `${path}.${pid}.tmp`
  // Only the user may read it: it can hold a token that was generated.
  const save = (text: string): void => writeFileSync(beside, text, { mode: 0o600 })
  assertWritable('--ready-file', path)
  let written: string | undefined
  return {
    write(entry) {
      written = `${JSON.stringify(entry)}\n`
      save(written)
      renameSync(beside, path)
    },
    remove() {
      if (written !== undefined && textOfFile(path) === written) rmSync(path, { force: true })
    },
  }
}

/** @throws {UsageError} When the file of an option cannot be written. */
export function assertWritable(option: string, path: string): void {
  const beside = `${path}.${pid}.tmp`
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    if (found?.isDirectory()) throw new Error('it is a folder')
    // Nothing is beside a pipe or a device.
    if (found?.isFile() === false) return
    writeFileSync(beside, '')
    rmSync(beside)
  } catch (error) {
    throw new UsageError(
      printable(
        `${option} cannot be written to ${path}: ${(error as Error).message}. It takes a path in a folder that exists and that you may write to.`,
      ),
    )
  }
}

function removeStale(path: string): void {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) return
  // To read a pipe would wait, and a device must not be removed.
  const text = found.isFile() ? textOfFile(path) : undefined
  // Programs such as `mktemp` create an empty file.
  if (text === undefined || (text.trim() !== '' && !isReadyEntry(text))) {
    throw new UsageError(
      printable(
        `--ready-file names ${path}, which is not a ready file. It was not changed. Choose another path, or remove it.`,
      ),
    )
  }
  rmSync(path, { force: true })
}

function isReadyEntry(text: string): boolean {
  return (parseJson(text) as { kind?: unknown } | null | undefined)?.kind === 'ready'
}
