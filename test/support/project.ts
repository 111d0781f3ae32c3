import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

const root = join(import.meta.dirname, '..', '..')
const modules = join(root, 'node_modules')

export interface Project {
  /** The path of the project. */
  folder: string
  /** Writes a file at a path in the project. */
  write: (path: string, text: string) => Promise<void>
  /** Runs Node in the project. Resolves with all output, also if it fails. */
  node: (command: string[], options?: { flags?: string }) => Promise<string>
  /** Runs a test runner in the same way. */
  vitest: (...command: string[]) => Promise<string>
  jest: (...command: string[]) => Promise<string>
  remove: () => Promise<void>
}

/**
 * What Vitest calls `test.deps`. It lets Node load what is installed, and compiles all else again for each file of
 * tests. The package is only linked here, so its real path has to count as installed. Without it, a project is that of
 * a user who has linked the package: `test/runners` runs one.
 */
export const asInstalled = { moduleDirectories: ['node_modules', join(root, 'dist')] }

/** Installs the built package and other packages in a folder. */
export async function linkPackages(folder: string, names: readonly string[]): Promise<void> {
  for (const name of ['svtrain-emulator', ...names]) {
    const link = join(folder, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(name === 'svtrain-emulator' ? root : join(modules, name), link, 'junction')
  }
}

/** Creates the project of a user who has installed the built package, test runners and other packages. */
export async function createProject(...packages: readonly string[]): Promise<Project> {
  const folder = await mkdtemp(join(tmpdir(), 'svtrain-project-'))
  await linkPackages(folder, ['vitest', '@jest/globals', ...packages])
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
    folder,
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
