import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'

/** An empty folder of the test's own, by its real path; removed when the test is over. */
export function temporaryFolder(): string {
  const folder = emptyFolder()
  onTestFinished(() => remove(folder))
  return folder
}

/** One for all tests of the suite that asks, outside of its tests. */
export function temporaryFolderOfSuite(): string {
  const folder = emptyFolder()
  afterAll(() => remove(folder))
  return folder
}

function emptyFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), 'svtrain-')))
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}
