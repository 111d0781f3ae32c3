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
 * Creates the same in memory, if the system supports it. Use it in tests that write hundreds of small
 * worlds and would mostly wait for the disk.
 */
export function folderInMemory(): string {
  const folder = emptyFolder(existsSync(MEMORY) ? MEMORY : tmpdir())
  onTestFinished(() => remove(folder))
  return folder
}

const MEMORY = '/dev/shm'

/** Creates one folder for all tests of a suite. Call it outside of the tests. */
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
