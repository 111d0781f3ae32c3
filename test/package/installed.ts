import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from './shell.js'

const root = join(import.meta.dirname, '..', '..')

export interface Installed {
  /** The project of a user who has installed the package, and nothing else. */
  folder: string
  /** The paths of the files in the package. */
  files: string[]
  packedBytes: number
  remove: () => Promise<void>
}

/** Packs the package as it would be published, and installs that in an empty folder. */
export async function install(): Promise<Installed> {
  const temporary = await mkdtemp(join(tmpdir(), 'svtrain-package-'))
  const folder = join(temporary, 'project')
  await mkdir(folder)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'project', private: true }))
  const printed = await run('npm', ['pack', '--json', '--pack-destination', temporary], root)
  const packed = describePacked(printed)
  await run('npm', ['install', '--no-audit', '--no-fund', join(temporary, packed.filename)], folder)
  return {
    folder,
    files: packed.files.map(({ path }) => path),
    packedBytes: packed.size,
    remove: () => rm(temporary, { recursive: true }),
  }
}

interface Packed {
  filename: string
  size: number
  files: { path: string }[]
}

/** Some versions of npm print the output of the build before the JSON. */
function describePacked(printed: string): Packed {
  const [packed] = JSON.parse(printed.slice(printed.search(/^\[/m))) as [Packed]
  return packed
}
