import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { SavedWorld } from '../../service/engine/saved/restore.js'
import type { Checks } from '../checks.js'
import { assertKnownVersion } from '../snapshot.js'
import type { WorldStorage } from '../world-keeper.js'
import { openContentFolder } from './content-folder.js'
import { WORLD_FILE } from './data-folder-at.js'
import { DataFolderError } from './data-folder-error.js'
import { knownFileAt } from './known-file.js'
import { lockFolder } from './folder-lock.js'
import { attempt, tooLarge } from './folder-errors.js'
import { secretIn } from './folder-secret.js'
import { damaged, openLog, type ReadableLog } from './world-log.js'
import { WorldFile, type FoundWorld } from './world-file.js'

/** The limits of a folder. */
export interface DataFolderLimits {
  /** The largest log, in bytes. */
  most?: number
  /** How many bytes the log may grow by, besides the size of the world, before it is compacted. */
  room?: number
}

const MB = 1024 * 1024
const MOST = 1024 * MB

/**
 * Opens the folder of a world for this process alone, and creates it if needed. The world is a log: one
 * line for each record, with its checksum. A save is complete or absent: if the process was killed
 * while it wrote the records of a save, all of them are ignored. The contents of runs and artifacts are files
 * beside it.
 *
 * @throws {DataFolderError} When another process uses the folder, or the folder is damaged, too large or not
 *   accessible. Nothing was changed.
 * @throws {SnapshotError} When another version wrote the folder. Nothing was changed.
 */
export function openDataFolder(
  path: string,
  checks: Pick<Checks, 'records'>,
  { most = MOST, room = 4 * MB }: DataFolderLimits = {},
): WorldStorage {
  createFolder(path)
  const lock = lockFolder(path)
  const file = join(path, WORLD_FILE)
  try {
    const found = read(file, { checks, most })
    const contents = openContentFolder(join(path, 'contents'))
    const secret = (): string => secretIn(join(path, 'addresses.secret'))
    return new WorldFile({ file, lock, contents, secret, found, most, room })
  } catch (error) {
    lock.release()
    throw error
  }
}

/**
 * Reads the world in a folder. It changes nothing there, so another process may use the folder. Returns undefined if
 * there is no world.
 *
 * @throws {DataFolderError} When the folder is damaged, too large or not accessible.
 * @throws {SnapshotError} When another version wrote the folder.
 */
export function readDataFolder(
  path: string,
  checks: Pick<Checks, 'records'>,
): SavedWorld | undefined {
  return read(join(path, WORLD_FILE), { checks, most: MOST })?.saved
}

function createFolder(path: string): void {
  const found = attempt(path, () => statSync(path, { throwIfNoEntry: false }))
  if (found && !found.isDirectory()) {
    const known = knownFileAt(path)
    const isWhat = known
      ? `it is ${known.what}, not a folder. ${known.toDo}.`
      : 'it is not a folder.'
    throw new DataFolderError(
      'SVTRAIN_DATA_UNUSABLE',
      `Failed to use ${path}: ${isWhat} Choose a folder. It is created if it does not exist.`,
    )
  }
  attempt(path, () => mkdirSync(path, { recursive: true }))
}

/** Reads the world in a file. Returns undefined if there is no world. */
function read(
  file: string,
  { checks, most }: { checks: Pick<Checks, 'records'>; most: number },
): FoundWorld | undefined {
  const log = openLog(file)
  if (!log) return undefined
  try {
    if (log.length > most) throw tooLarge('open', { file, bytes: log.length, most })
    return worldIn(log, file, checks)
  } finally {
    log.close()
  }
}

/** The contents of runs and artifacts are files beside the records. */
const READING = { contentsAreFiles: true }

function worldIn(
  log: ReadableLog,
  file: string,
  checks: Pick<Checks, 'records'>,
): FoundWorld | undefined {
  let count = 0
  let lastStart = 0
  function* counted(): Generator<unknown, void> {
    for (const record of log.records()) {
      const { kind, version } = Object(record) as { kind?: unknown; version?: unknown }
      if (kind === 'world' && typeof version === 'number') assertKnownVersion(version, file)
      // Each save begins with the record of the clock.
      if (kind === 'clock') lastStart = count
      count++
      yield record
    }
  }
  const checked = checks.records(counted(), READING)
  if (checked.ok) {
    const { saved } = checked
    return { saved, length: log.length, live: log.length * (saved.records.length / count) }
  }
  // Version 0.1 did not mark the end of a save. If the last line is torn, the lines before it may belong to
  // the same save, which is unfinished.
  const earlier =
    log.torn === '' ? checked : checks.records(first(lastStart, log.records()), READING)
  if (earlier.ok) return { saved: earlier.saved, length: undefined, live: log.length }
  const problems = checked.problems.map(({ index, kind, place, message }) => {
    if (index === undefined) return `  ${message}`
    const where = [kind, place].filter((each) => typeof each === 'string' && each !== '').join('.')
    return `  ${[`${file}:${index + 1}`, where].join(' ').trimEnd()}: ${message}`
  })
  throw damaged(`Failed to read ${file}: it can't be used.`, problems)
}

function* first(count: number, records: Iterable<unknown>): Generator<unknown, void> {
  let index = 0
  for (const record of records) if (index++ < count) yield record
}
