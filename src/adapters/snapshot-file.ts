import { readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import type { SavedWorld } from '../engine/snapshot/restore.js'
import { SnapshotError, type Snapshot } from '../emulator/snapshot.js'
import { DataFolderError } from './data-folder-error.js'

/** A snapshot as it was written, and the world in it. */
export interface ExportedSnapshot {
  snapshot: unknown
  saved: SavedWorld
}

/** An exported file. Rejects with `SnapshotError`, or `DataFolderError` where it cannot be read. */
export async function readSnapshotFile(path: string): Promise<ExportedSnapshot> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw unusable('read', path, error)
  }
  return readSnapshotText(text, path)
}

/** The text of one; `from` says where it came from. Rejects with `SnapshotError`. */
export async function readSnapshotText(text: string, from: string): Promise<ExportedSnapshot> {
  const snapshot = jsonIn(text, from)
  // It loads the schema library, which the other commands do without.
  const { readSnapshot } = await import('../emulator/read-snapshot.js')
  return { snapshot, saved: readSnapshot(snapshot, from) }
}

/** As it stands in a file. */
export function snapshotText(snapshot: Snapshot): string {
  return JSON.stringify(snapshot, null, 1)
}

/** The file has all of it or, where that fails, what it had before. Raises `DataFolderError`. */
export function writeSnapshotFile(path: string, snapshot: Snapshot): void {
  // Of two that write to the same place, each writes its own.
  const fresh = `${path}.${process.pid}.new`
  const text = `${snapshotText(snapshot)}\n`
  try {
    // A pipe or a device keeps its place.
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === false) {
      return writeFileSync(path, text)
    }
    // It holds secrets, so it is for its owner alone.
    writeFileSync(fresh, text, { mode: 0o600, flush: true })
    renameSync(fresh, path)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw unusable('write', path, error)
  }
}

function jsonIn(text: string, from: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new SnapshotError(
      'SVTRAIN_SNAPSHOT_DAMAGED',
      `Failed to read ${from}: it is no JSON, or not all of it is there. Nothing was changed. Export it again.`,
    )
  }
}

function unusable(what: 'read' | 'write', path: string, error: unknown): DataFolderError {
  const { message } = error as Error
  return new DataFolderError('SVTRAIN_DATA_UNUSABLE', `Failed to ${what} ${path}: ${message}.`)
}
