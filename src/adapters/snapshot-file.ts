import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import type { SavedWorld } from '../engine/persistence/restore.js'
import { readSnapshot, SnapshotError, type Snapshot } from '../snapshot.js'
import { DataFolderError } from './data-folder.js'

/** The world in an exported file. Raises `SnapshotError`, or `DataFolderError` where it cannot be read. */
export function readSnapshotFile(path: string): SavedWorld {
  return readSnapshot(jsonIn(path), path)
}

/** The file has all of it or, where that fails, what it had before. Raises `DataFolderError`. */
export function writeSnapshotFile(path: string, snapshot: Snapshot): void {
  const fresh = `${path}.new`
  try {
    // It holds secrets, so it is for its owner alone.
    writeFileSync(fresh, `${JSON.stringify(snapshot, null, 1)}\n`, { mode: 0o600 })
    renameSync(fresh, path)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw unusable('write', path, error)
  }
}

function jsonIn(path: string): unknown {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw unusable('read', path, error)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw new SnapshotError(
      'SVTRAIN_SNAPSHOT_DAMAGED',
      `Failed to read ${path}: it is no JSON, or not all of it is there. Nothing was changed. Export it again.`,
    )
  }
}

function unusable(what: 'read' | 'write', path: string, error: unknown): DataFolderError {
  const { message } = error as Error
  return new DataFolderError('SVTRAIN_DATA_UNUSABLE', `Failed to ${what} ${path}: ${message}.`)
}
