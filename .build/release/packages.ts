import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { basename, join, relative, sep } from 'node:path'
import { filesIn, root } from '../stamp.js'
import type { Files } from './contents.js'
import { run } from './shell.js'

/** Builds, reads and installs what a release publishes: the npm tarball and the Python wheel. */

interface Packed {
  filename: string
}

/** Packs the package as it would be published. Returns the path of the tarball. */
export async function pack(folder: string): Promise<string> {
  const printed = await run('npm', ['pack', '--json', '--pack-destination', folder], root)
  // Some versions of npm print the output of the build before the JSON.
  const [packed] = JSON.parse(printed.slice(printed.search(/^\[/m))) as [Packed]
  return join(folder, packed.filename)
}

/** Creates the project of a user, and installs a tarball in it. Returns its path. */
export async function installTarball(
  tarball: string,
  folder: string,
  variables: Readonly<Record<string, string>> = {},
): Promise<string> {
  const project = join(folder, 'project')
  await mkdir(project, { recursive: true })
  const manifest = JSON.stringify({ name: 'project', private: true })
  await writeFile(join(project, 'package.json'), manifest)
  await run('npm', ['install', '--no-audit', '--no-fund', tarball], project, variables)
  return project
}

/** Builds the wheel as it would be published. Returns its path. */
export async function buildWheel(python: string, folder: string): Promise<string> {
  const to = join(folder, 'wheel')
  await mkdir(to, { recursive: true })
  await run(
    python,
    ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', to, './python'],
    root,
  )
  const wheels = await readdir(to)
  return join(to, wheels.join(''))
}

/** Returns the files of a tarball. The folder takes them. */
export async function readTarball(tarball: string, folder: string): Promise<Files> {
  await mkdir(folder, { recursive: true })
  await run('tar', ['-xzf', tarball, '-C', folder], root)
  return readFolder(join(folder, 'package'))
}

/** Returns the files of a wheel. The folder takes them. */
export async function readWheel(python: string, wheel: string, folder: string): Promise<Files> {
  await run(python, ['-m', 'zipfile', '-e', wheel, folder], root)
  return readFolder(folder)
}

/** Returns the files of a folder, by their paths with slashes. */
export async function readFolder(folder: string): Promise<Files> {
  const paths = filesIn(folder)
  const read = paths.map(async (path) => {
    const name = relative(folder, path).split(sep).join('/')
    return [name, await readFile(path)] as const
  })
  return new Map(await Promise.all(read))
}

/** Returns the size of a file in bytes. */
export async function sizeOf(file: string): Promise<number> {
  return (await stat(file)).size
}

/** Returns the version in the name of a wheel: `svtrain_emulator-0.2.0-py3-none-any.whl`. */
export function versionOfWheel(wheel: string): string {
  return basename(wheel).split('-')[1] ?? ''
}

/** Returns the packages that an installation brought along, with their licenses. */
export async function installedPackages(
  project: string,
): Promise<{ name: string; version: string; license: string }[]> {
  const lock = await readFile(join(project, 'node_modules', '.package-lock.json'), 'utf8')
  const { packages } = JSON.parse(lock) as {
    packages: Record<string, { version?: string; license?: string }>
  }
  return Object.entries(packages).map(([path, { version = '', license = '' }]) => ({
    name: path.replace(/^.*node_modules\//, ''),
    version,
    license,
  }))
}
