import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

/** Creates an empty folder for the current test and returns its real path. It is removed after the test. */
export function temporaryFolder(): string {
  const folder = emptyFolder(tmpdir())
  onTestFinished(() => remove(folder))
  return folder
}

/**
 * The same in memory, if the system has such a place. For tests that write hundreds of small worlds:
 * waiting for the disk would take most of their time.
 */
export function folderInMemory(): string {
  const folder = emptyFolder(existsSync(MEMORY) ? MEMORY : tmpdir())
  onTestFinished(() => remove(folder))
  return folder
}

const MEMORY = '/dev/shm'

/** One folder for all tests of a suite. To call outside of its tests. */
export function temporaryFolderOfSuite(): string {
  const folder = emptyFolder(tmpdir())
  afterAll(() => remove(folder))
  return folder
}

function emptyFolder(parent: string): string {
  return realpathSync(mkdtempSync(join(parent, 'svtrain-')))
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}
