import { lstatSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getuid, pid as ownPid } from 'node:process'
import { DataFolderError } from './data-folder-error.js'
import { startTimeOf } from './folder-lock.js'

/** A temporary folder of this process, which only its user can read. */
export interface OwnFolder {
  readonly path: string
  remove(): void
}

const PREFIX = 'svtrain-emulator'

/**
 * Creates a temporary folder. Removes those that processes of this user left when they were killed.
 *
 * @param purpose - A word of its name.
 * @throws {DataFolderError} When the folder for temporary files cannot be used.
 */
export function createOwnFolder(purpose: string): OwnFolder {
  const owner = `${ownPid}-${startTimeOf(ownPid)}-${pidNamespace()}`
  let path: string
  try {
    removeOrphans()
    path = mkdtempSync(join(tmpdir(), `${PREFIX}-${purpose}-${owner}-`))
  } catch (error) {
    const { what, repair } = unusableTemporaryFolder(tmpdir())
    const why = `${what} ${(error as Error).message}. ${repair}`
    throw new DataFolderError('SVTRAIN_DATA_UNUSABLE', why)
  }
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}

/** What is wrong with a folder for temporary files that cannot be used, and what to do. */
export function unusableTemporaryFolder(folder: string): { what: string; repair: string } {
  return {
    what: `The temporary folder ${folder} is missing, or takes no files.`,
    repair: 'Name another folder: export TMPDIR=$HOME/tmp',
  }
}

/** The purpose, then the number, the start and the namespace of a process, and what makes the name unique. */
const NAME = new RegExp(`^${PREFIX}-[a-z]+-(\\d+)-(\\w+)-(\\w+)-\\w{6}$`)

function removeOrphans(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, pid, startTime, namespace] = NAME.exec(name) ?? []
    // A container that shares the folder has other processes with these numbers.
    if (pid === undefined || namespace !== pidNamespace()) continue
    if (startTimeOf(Number(pid)) === startTime) continue
    const path = join(tmpdir(), name)
    try {
      if (isOwn(path)) rmSync(path, { recursive: true, force: true })
    } catch {
      // Another process has removed it, or something in it cannot be removed.
    }
  }
}

/**
 * Whether this is a folder of this user. Nobody else can replace it then. A link, or a folder of somebody who may put
 * a link in its place, could lead to files that have to stay.
 */
function isOwn(path: string): boolean {
  const found = lstatSync(path)
  return found.isDirectory() && (getuid === undefined || found.uid === getuid())
}

/** The processes among which the number of a process is unique. A word for systems that have no others. */
function pidNamespace(): string {
  try {
    return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? 'all'
  } catch {
    return 'all'
  }
}
