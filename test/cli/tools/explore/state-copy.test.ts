import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { assertStateFolder, copyState } from '../../../../src/cli/tools/explore/state-copy.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'

it('a state below the working folder stays there, also if its name begins with dots', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, '..out'))
  const { cwd, state, remove } = copyState('..out', folder)
  onTestFinished(remove)
  expect(state).toBe(join(cwd, '..out'))
})

it('a state is a folder, which need not be there yet', () => {
  const folder = temporaryFolder()
  assertStateFolder(folder)
  assertStateFolder(join(folder, 'new'))
  writeFileSync(join(folder, 'file'), '')
  expect(() => assertStateFolder(join(folder, 'file'))).toThrow(
    /^--state takes a folder, and ".*file" is none\./,
  )
})
