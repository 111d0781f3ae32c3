import { readFile } from 'node:fs/promises'
import { buffer } from 'node:stream/consumers'
import {
  readSnapshotFile,
  readSnapshotText,
  type ExportedSnapshot,
} from '../../emulator/adapters/snapshot-file.js'
import { whyUnreadable } from '../../service/scenario/why-unreadable.js'
import { UsageError } from '../usage-error.js'

/**
 * Reads a file, or stdin if the file is `-` or undefined.
 *
 * @throws {UsageError} When the file cannot be read.
 */
export async function readBytes(file: string | undefined): Promise<Uint8Array> {
  if (file === undefined || file === '-') return buffer(process.stdin)
  try {
    return await readFile(file)
  } catch (error) {
    throw new UsageError(`Failed to read ${file}: ${whyUnreadable(file, error)}`)
  }
}

/**
 * Reads a snapshot from a file, or from stdin if the file is `-`.
 *
 * @throws {SnapshotError} When the content is not a snapshot.
 * @throws {DataFolderError} When the file cannot be read.
 */
export async function readSnapshot(file: string): Promise<ExportedSnapshot> {
  if (file !== '-') return readSnapshotFile(file)
  return readSnapshotText(new TextDecoder().decode(await readBytes('-')), 'stdin')
}
