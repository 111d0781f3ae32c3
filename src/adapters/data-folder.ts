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
  /** What was written before; undefined in a new folder. */
  readonly saved: SavedWorld | undefined
}

/**
 * Opens the folder of a world, which is made where there is none, for this process alone. The world
 * is a log, a line for each record with its checksum. The records of one save count together: if the
 * process was killed while it wrote them, all of them are left out. Raises `DataFolderError`, or `SnapshotError` where another version
 * wrote it, and then nothing was changed.
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

/** The log grows by so many bytes before a whole world takes its place. */
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

/** What stands between the checksum and a record: whether more records of the same save follow. */
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

/** The world in a file; undefined where there is none. */
function read(file: string, checks: Pick<Checks, 'records'>): SavedWorld | undefined {
  const lines = attempt(file, () => textOf(file)).split('\n')
  // What follows the last line break was never finished, so nobody was told of it.
  const torn = lines.pop()
  if (lines.length === 0 && !torn) return undefined
  const all = lines.map((text, index) => recordIn(text, { file, line: index + 1 }))
  // The same holds for a save of which only the first lines were written.
  const records = all.slice(0, lines.findLastIndex((line) => line[CHECKSUM_LENGTH] !== MORE) + 1)
  for (const record of records) {
    const { kind, version } = Object(record) as { kind?: unknown; version?: unknown }
    if (kind === 'world' && typeof version === 'number') assertKnownVersion(version, file)
  }
  const whole = checks.records(records)
  if (whole.ok) return whole.saved
  // Version 0.1 did not mark the end of a save: if the last line is torn, the lines before it may be
  // a part of one.
  const finished = torn ? checks.records(records.slice(0, startOfLast(records))) : whole
  if (finished.ok) return finished.saved
  const problems = whole.problems.map(({ index, place, message }) => {
    if (index === undefined) return `  ${message}`
    const { kind } = Object(records[index]) as { kind?: unknown }
    const where = [kind, place].filter((each) => typeof each === 'string' && each !== '').join('.')
    return `  ${[`${file}:${index + 1}`, where].join(' ').trimEnd()}: ${message}`
  })
  throw damaged(`Failed to read ${file}: it cannot be used.`, problems)
}

interface Line {
  file: string
  line: number
}

function recordIn(written: string, { file, line }: Line): unknown {
  const text = written.slice(CHECKSUM_LENGTH + 1)
  if (written.slice(0, CHECKSUM_LENGTH) !== checksum(text)) {
    throw damaged(`Failed to read ${file}: line ${line} is damaged, its checksum does not fit.`)
  }
  try {
    return JSON.parse(text)
  } catch {
    throw damaged(`Failed to read ${file}: line ${line} is damaged, it is no JSON.`)
  }
}

/** What is written together begins with the time. */
function startOfLast(records: readonly unknown[]): number {
  return records.findLastIndex((record) => (Object(record) as { kind?: unknown }).kind === 'clock')
}

function damaged(what: string, problems: readonly string[] = []): DataFolderError {
  const toDo = 'Nothing was changed. Put a copy back, or begin again in another folder.'
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

/** Two processes in one folder would write over each other. */
function lock(path: string): () => void {
  const file = join(path, 'lock')
  for (;;) {
    try {
      writeFileSync(file, `${process.pid} ${bornOf(process.pid)}`, { flag: 'wx' })
      return () => rmSync(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw unusable(path, error)
    }
    const [owner = '', born] = attempt(file, () => textOf(file)).split(' ')
    if (born !== undefined && bornOf(Number(owner)) === born) {
      throw new DataFolderError(
        'SVTRAIN_DATA_IN_USE',
        `Failed to open ${path}: process ${owner} is using it. Stop that one first, or choose another folder.`,
      )
    }
    // Whoever locked it was killed.
    rmSync(file, { force: true })
  }
}

/**
 * When a process began, as the system counts; undefined where it is gone. The number alone may belong
 * to another one by now: in a container, the next process often has the same.
 */
function bornOf(pid: number): string | undefined {
  try {
    // The name, in brackets, may hold spaces; the state follows it, and the birth is 19 fields on.
    const [state, ...fields] = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .split(') ')
      .at(-1)!
      .split(' ')
    return state === 'Z' ? undefined : fields[18]
  } catch {
    return existsSync('/proc/self/stat') ? undefined : bornElsewhere(pid)
  }
}

/** Where the system does not say, any process of that number counts as the same. */
function bornElsewhere(pid: number): string | undefined {
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
