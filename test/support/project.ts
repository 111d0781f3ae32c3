import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const modules = join(root, 'node_modules')

export interface Project {
  /** Writes a file at a path in the project. */
  write: (path: string, text: string) => Promise<void>
  /** Runs Node in the project. Resolves with all output, also if it fails. */
  node: (command: string[], options?: { flags?: string }) => Promise<string>
  /** Runs a test runner in the same way. */
  vitest: (...command: string[]) => Promise<string>
  jest: (...command: string[]) => Promise<string>
  remove: () => Promise<void>
}

/** Creates the project of a user who has installed the built package and test runners. */
export async function createProject(): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'svtrain-project-'))
  await mkdir(join(folder, 'node_modules', '@jest'), { recursive: true })
  await symlink(root, join(folder, 'node_modules', 'svtrain-emulator'))
  for (const name of ['vitest', '@jest/globals']) {
    await symlink(join(modules, name), join(folder, 'node_modules', name))
  }
  const write = async (path: string, text: string): Promise<void> => {
    await mkdir(join(folder, dirname(path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  await write('package.json', '{ "type": "module" }')
  const node: Project['node'] = (command, { flags = '' } = {}) => {
    // The environment of our own test runner must not reach other runners.
    const { PATH, HOME } = process.env
    const env = { PATH, HOME, NODE_OPTIONS: flags, NO_COLOR: '1' }
    return new Promise((resolve) => {
      execFile(process.execPath, command, { cwd: folder, env }, (_error, out, err) => {
        resolve(`${out}\n${err}`)
      })
    })
  }
  return {
    write,
    node,
    vitest: (...command) => node([join(modules, 'vitest', 'vitest.mjs'), 'run', ...command]),
    jest: (...command) =>
      node([join(modules, 'jest', 'bin', 'jest.js'), ...command], {
        flags: '--experimental-vm-modules',
      }),
    remove: () => rm(folder, { recursive: true, force: true }),
  }
}
