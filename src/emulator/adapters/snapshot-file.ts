import {
  existsSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import type { SavedWorld } from '../../service/engine/saved/restore.js'
import { knownFile, SNAPSHOT } from '../../base/text/evidence.js'
import { unlessTooLarge, type Snapshot } from '../snapshot.js'
import { SnapshotError } from '../snapshot-error.js'
import { whyUnreadable } from '../../service/scenario/why-unreadable.js'
import { dataFolderHint } from './data-folder-at.js'
import { DataFolderError } from './data-folder-error.js'

/** A snapshot from a file, and the world in it. */
export interface ExportedSnapshot {
  snapshot: unknown
  saved: SavedWorld
}

/**
 * Reads an exported file.
 *
 * @throws {DataFolderError} When the file can't be read.
 * @throws {SnapshotError} When its content can't be used.
 */
export async function readSnapshotFile(path: string): Promise<ExportedSnapshot> {
  const hint = dataFolderHint(path)
  if (hint !== undefined) throw unusable('read', path, hint)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw unusable('read', path, whyUnreadable(path, error))
  }
  return readSnapshotText(text, path)
}

/**
 * Reads the text of an exported file. `from` names its source in errors.
 *
 * @throws {SnapshotError} When the text can't be used.
 */
export async function readSnapshotText(text: string, from: string): Promise<ExportedSnapshot> {
  const snapshot = jsonIn(text, from)
  // Loaded here, because it loads the schema library and the other commands don't need it.
  const { readSnapshot } = await import('../read-snapshot.js')
  return { snapshot, saved: readSnapshot(snapshot, from) }
}

/**
 * Formats a snapshot for a file.
 *
 * @throws {SnapshotError} When it is too large for a text.
 */
export function snapshotText(snapshot: Snapshot): string {
  return unlessTooLarge(() => JSON.stringify(snapshot, null, 1))
}

/**
 * Writes a snapshot to a file. If that fails, the file keeps its old content.
 *
 * @throws {DataFolderError} When the file can't be written.
 */
export function writeSnapshotFile(path: string, snapshot: Snapshot): void {
  // Of a link, the file that it leads to is replaced.
  const target = existsSync(path) ? realpathSync(path) : path
  // Two processes that write to the same place use different temporary files.
  const fresh = `${target}.${process.pid}.new`
  const text = `${snapshotText(snapshot)}\n`
  try {
    // A pipe or a device must not be replaced.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) {
      return writeFileSync(path, text)
    }
    // It contains secrets, so only its owner may read it.
    writeFileSync(fresh, text, { mode: 0o600, flush: true })
    renameSync(fresh, target)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw unusable('write', path, `${(error as Error).message}.`)
  }
}

function jsonIn(text: string, from: string): unknown {
  const known = knownFile(text, from)
  if (known && known.what !== SNAPSHOT) {
    throw damaged(from, `it is ${known.what}, not a snapshot. ${known.toDo}`)
  }
  try {
    return JSON.parse(text)
  } catch {
    const toDo = 'Export it again.'
    throw damaged(from, `it isn't JSON, or a part of it is missing. ${toDo}`)
  }
}

function damaged(from: string, why: string): SnapshotError {
  return new SnapshotError('SVTRAIN_SNAPSHOT_DAMAGED', `Failed to read ${from}: ${why}`)
}

function unusable(what: 'read' | 'write', path: string, why: string): DataFolderError {
  return new DataFolderError('SVTRAIN_DATA_UNUSABLE', `Failed to ${what} ${path}: ${why}`)
}
