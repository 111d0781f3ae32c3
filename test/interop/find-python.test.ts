import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { temporaryFolder } from '../support/temporary-folder.js'
import { findPython } from './find-python.js'

let folder: string

/** A fake Python that only prints its version. */
function addPython(path: string, version: string): string {
  const program = join(folder, path)
  mkdirSync(dirname(program), { recursive: true })
  writeFileSync(program, `#!/bin/sh\necho ${version}\n`)
  chmodSync(program, 0o755)
  return program
}

beforeEach(() => {
  folder = temporaryFolder()
  vi.stubEnv('PATH', join(folder, 'bin'))
  vi.stubEnv('PYENV_ROOT', join(folder, 'pyenv'))
  vi.stubEnv('SVTRAIN_PYTHON', undefined)
})
afterEach(() => {
  vi.unstubAllEnvs()
})

it('findPython uses python3 if it is new enough', async () => {
  addPython('bin/python3', '3.12.4')
  addPython('pyenv/versions/3.12.1/bin/python3', '3.12.1')
  expect(await findPython(12)).toEqual({ command: 'python3', version: '3.12.4' })
})

it('findPython uses the oldest new enough Python of pyenv if python3 is too old', async () => {
  addPython('bin/python3', '3.9.2')
  addPython('pyenv/versions/3.13.0/bin/python3', '3.13.0')
  addPython('pyenv/versions/3.8.18/bin/python3', '3.8.18')
  const command = addPython('pyenv/versions/3.12.1/bin/python3', '3.12.1')
  expect(await findPython(12)).toEqual({ command, version: '3.12.1' })
})

it('findPython uses a Python that is named by its version if there is no pyenv', async () => {
  addPython('bin/python3', '3.11.2')
  addPython('bin/python3.13', '3.13.5')
  expect(await findPython(12)).toEqual({ command: 'python3.13', version: '3.13.5' })
})

it('findPython prefers SVTRAIN_PYTHON, unless it is too old', async () => {
  addPython('bin/python3', '3.12.4')
  const named = addPython('elsewhere/python', '3.14.0')
  vi.stubEnv('SVTRAIN_PYTHON', named)
  expect(await findPython(12)).toEqual({ command: named, version: '3.14.0' })
  addPython('elsewhere/python', '3.11.0')
  expect(await findPython(12)).toEqual({ command: 'python3', version: '3.12.4' })
})

it('findPython finds exactly one version if oldest and newest are the same', async () => {
  addPython('bin/python3', '3.12.4')
  addPython('bin/python3.13', '3.13.5')
  const command = addPython('pyenv/versions/3.10.13/bin/python3', '3.10.13')
  expect(await findPython(10, 10)).toEqual({ command, version: '3.10.13' })
  expect(await findPython(11, 11)).toBeUndefined()
  expect(await findPython(13)).toEqual({ command: 'python3.13', version: '3.13.5' })
})

it('findPython finds none if all are too old or cannot run', async () => {
  addPython('bin/python3', '3.11.2')
  addPython('bin/python3.12', '')
  expect(await findPython(12)).toBeUndefined()
})
