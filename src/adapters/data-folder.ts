import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import type { WorldRecord } from '../engine/snapshot/records.js'
import type { Checks } from '../emulator/checks.js'
import type { SavedWorld } from '../engine/snapshot/restore.js'
import { assertKnownVersion } from '../emulator/snapshot.js'
import { DataFolderError } from './data-folder-error.js'
import type { WorldStorage } from '../emulator/world-keeper.js'

/** A world on disk. */
export interface DataFolder extends WorldStorage {
  /** The world that was saved before. Undefined in a new folder. */
  readonly saved: SavedWorld | undefined
}

/**
 * Opens the folder of a world for this process alone, and creates it if needed. The world is a log: one
 * line for each record, with its checksum. A save is complete or absent: if the process was killed
 * while it wrote the records of a save, all of them are ignored.
 *
 * @throws {DataFolderError} When another process uses the folder, or the folder is damaged or not
 *   accessible. Nothing was changed.
 * @throws {SnapshotError} When another version wrote the folder. Nothing was changed.
 */
export function openDataFolder(path: string, checks: Pick<Checks, 'records'>): DataFolder {
  attempt(path, () => mkdirSync(path, { recursive: true }))
  const unlock = lock(path)
  const file = join(path, 'world.ndjson')
  try {
    return { saved: read(file, checks), ...storageIn(file, unlock) }
  } catch (error) {
    unlock()
    throw error
  }
}

/** How many bytes the log may grow by before the whole world replaces it. */
const ROOM = 64 * 1024 * 1024

function storageIn(file: string, unlock: () => void): WorldStorage {
  let log: number | undefined
  let grown = 0
  return {
    append(records) {
      if (log === undefined) return true
      const text = toLines(records)
      attempt(file, () => writeFileSync(log!, text))
      grown += text.length
      return grown > ROOM
    },
    replace(records) {
      const fresh = `${file}.new`
      attempt(file, () => {
        const target = openSync(fresh, 'w', 0o600)
        writeFileSync(target, toLines(records))
        fsyncSync(target)
        renameSync(fresh, file)
        if (log !== undefined) closeSync(log)
        log = target
      })
      grown = 0
    },
    close() {
      if (log !== undefined) closeSync(log)
      log = undefined
      unlock()
    },
  }
}

/** The character between the checksum and the record. It says whether the save has more records. */
const MORE = '+'
const LAST = ' '

/** The records of one save. */
function toLines(records: readonly WorldRecord[]): string {
  const lines = records.map((record, index) => {
    const text = JSON.stringify(record)
    return `${checksum(text)}${index < records.length - 1 ? MORE : LAST}${text}\n`
  })
  return lines.join('')
}

function checksum(text: string): string {
  return crc32(text).toString(16).padStart(8, '0')
}

const CHECKSUM_LENGTH = 8

/** Reads the world in a file. Returns undefined if there is no world. */
function read(file: string, checks: Pick<Checks, 'records'>): SavedWorld | undefined {
  const lines = attempt(file, () => textOf(file)).split('\n')
  // The text after the last line break was never finished, so no client knows about it.
  const torn = lines.pop()
  if (lines.length === 0 && !torn) return undefined
  const all = lines.map((text, index) => recordIn(text, { file, line: index + 1 }))
  // The same is true of a save if only its first lines were written.
  const records = all.slice(0, lines.findLastIndex((line) => line[CHECKSUM_LENGTH] !== MORE) + 1)
  for (const record of records) {
    const { kind, version } = Object(record) as { kind?: unknown; version?: unknown }
    if (kind === 'world' && typeof version === 'number') assertKnownVersion(version, file)
  }
  const checked = checks.records(records)
  if (checked.ok) return checked.saved
  // Version 0.1 did not mark the end of a save. If the last line is torn, the lines before it may belong to
  // the same save, which is unfinished.
  const earlier = torn ? checks.records(records.slice(0, startOfLast(records))) : checked
  if (earlier.ok) return earlier.saved
  const problems = checked.problems.map(({ index, place, message }) => {
    if (index === undefined) return `  ${message}`
    const { kind } = Object(records[index]) as { kind?: unknown }
    const where = [kind, place].filter((each) => typeof each === 'string' && each !== '').join('.')
    return `  ${[`${file}:${index + 1}`, where].join(' ').trimEnd()}: ${message}`
  })
  throw damaged(`Failed to read ${file}: it can't be used.`, problems)
}

interface Line {
  file: string
  line: number
}

function recordIn(written: string, { file, line }: Line): unknown {
  const text = written.slice(CHECKSUM_LENGTH + 1)
  if (written.slice(0, CHECKSUM_LENGTH) !== checksum(text)) {
    throw damaged(`Failed to read ${file}: line ${line} is damaged, its checksum doesn't match.`)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw damaged(`Failed to read ${file}: line ${line} is damaged, it isn't JSON.`)
  }
}

/** Each save begins with the record of the clock. */
function startOfLast(records: readonly unknown[]): number {
  return records.findLastIndex((record) => (Object(record) as { kind?: unknown }).kind === 'clock')
}

function damaged(what: string, problems: readonly string[] = []): DataFolderError {
  const toDo = 'Nothing was changed. Restore a copy, or start in another folder.'
  return new DataFolderError('SVTRAIN_DATA_DAMAGED', [`${what} ${toDo}`, ...problems].join('\n'))
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

/** Locks a folder: two processes in one folder would overwrite each other's records. */
function lock(path: string): () => void {
  const file = join(path, 'lock')
  for (;;) {
    try {
      writeFileSync(file, `${process.pid} ${startTimeOf(process.pid)}`, { flag: 'wx' })
      return () => rmSync(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(path, error)
    }
    const [owner = '', startTime] = attempt(file, () => textOf(file)).split(' ')
    if (startTime !== undefined && startTimeOf(Number(owner)) === startTime) {
      throw new DataFolderError(
        'SVTRAIN_DATA_IN_USE',
        `Failed to open ${path}: process ${owner} is using it. Stop that process first, or choose another folder.`,
      )
    }
    // The process that locked it was killed.
    rmSync(file, { force: true })
  }
}

/**
 * Returns when a process started, in the units of the system. Undefined if it has ended. The number of a
 * process is not enough: in a container, the next process often has the same number.
 */
function startTimeOf(pid: number): string | undefined {
  try {
    // The name is in brackets and may contain spaces. The state follows; the start is 19 fields later.
    const [state, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .split(') ')
      .at(-1)!
      .split(' ')
    return state === 'Z' ? undefined : fields[18]
  } catch {
    return existsSync('/proc/self/stat') ? undefined : startTimeWithoutProc(pid)
  }
}

/** On systems without /proc, any process with that number counts as the same one. */
function startTimeWithoutProc(pid: number): string | undefined {
  try {
    process.kill(pid, 0)
    return 'unknown'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' ? 'unknown' : undefined
  }
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw unusable(path, error)
  }
}

function unusable(path: string, error: unknown): DataFolderError {
  const { message } = error as Error
  return new DataFolderError('SVTRAIN_DATA_UNUSABLE', `Failed to use ${path}: ${message}.`)
}
