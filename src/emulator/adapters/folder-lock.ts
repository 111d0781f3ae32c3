import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { DataFolderError } from './data-folder-error.js'
import { attempt, codeOf, ifThere, unusable } from './folder-errors.js'

/** The lock of a folder, held by this process. */
export interface FolderLock {
  /** Whether the folder still has this lock. It has not if it was deleted or replaced. */
  readonly held: () => boolean
  readonly release: () => void
}

/** How often this process has taken a lock. A process can have several emulators. */
let taken = 0

/**
 * Locks a folder: two processes in one folder would overwrite each other's records. The lock of a process that
 * was killed is taken over.
 *
 * @throws {DataFolderError} When another process has the lock, or the folder is not writable.
 */
export function lockFolder(path: string): FolderLock {
  const file = join(path, 'lock')
  // Text after the second word is ignored, by earlier versions too.
  const own = `${process.pid} ${startTimeOf(process.pid)} ${++taken}`
  while (!create(file, own)) {
    const text = textOf(file)
    if (text === undefined) continue
    const [owner = '', startTime] = text.split(' ')
    if (startTime !== undefined && startTimeOf(Number(owner)) === startTime) {
      throw new DataFolderError(
        'SVTRAIN_DATA_IN_USE',
        `Failed to open ${path}: process ${owner} is using it. Stop that process first, or choose another folder.`,
      )
    }
    removeStale(file, text)
  }
  const held = (): boolean => {
    try {
      return readFileSync(file, 'utf8') === own
    } catch {
      return false
    }
  }
  return {
    held,
    release: () => {
      if (held()) rmSync(file, { force: true })
    },
  }
}

/** Creates a file with its content at once, so that no process reads half of it. False if it exists. */
function create(file: string, text: string): boolean {
  const draft = `${file}.${process.pid}.${taken}`
  try {
    writeFileSync(draft, text)
    try {
      linkSync(draft, file)
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false
      // Some file systems have no links.
      writeFileSync(file, text, { flag: 'wx' })
    }
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw unusable(file, error)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** The longest time, in milliseconds, that another process takes to remove a stale lock. */
const REMOVAL = 1000
const PAUSE = 10

/**
 * Removes the lock of a process that was killed. Of several processes that start at once, only the one that
 * creates a second file, named after the stale lock, may remove it. The others would remove its new lock.
 */
function removeStale(file: string, stale: string): void {
  const turn = `${file}.${crc32(stale).toString(16)}`
  for (let waited = 0; !create(turn, stale); waited += PAUSE) {
    // A process that was killed during the removal leaves this file.
    if (waited >= REMOVAL) return rmSync(turn, { force: true })
    if (textOf(file) !== stale) return
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE)
  }
  try {
    const isStill = textOf(file) === stale
    if (isStill) attempt(file, () => rmSync(file, { force: true }))
  } finally {
    rmSync(turn, { force: true })
  }
}

function textOf(file: string): string | undefined {
  return ifThere(file, () => readFileSync(file, 'utf8'))
}

/**
 * Returns when a process started, in the units of the system. Undefined if it has ended. The number of a
 * process is not enough: in a container, the next process often has the same number.
 */
export function startTimeOf(pid: number): string | undefined {
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
    return codeOf(error) === 'EPERM' ? 'unknown' : undefined
  }
}
