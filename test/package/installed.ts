import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { installTarball, pack, readFolder } from '../../.build/release/packages.js'

export interface Installed {
  /** The project of a user who has installed the package, and nothing else. */
  folder: string
  /** The paths of the files in the package. */
  files: string[]
  remove: () => Promise<void>
}

/** Packs the package as it would be published, and installs that in an empty folder. */
export async function install(): Promise<Installed> {
  const temporary = await mkdtemp(join(tmpdir(), 'svtrain-package-'))
  const folder = await installTarball(await pack(temporary), temporary)
  const files = await readFolder(join(folder, 'node_modules', manifest.name))
  return {
    folder,
    files: [...files.keys()],
    remove: () => rm(temporary, { recursive: true }),
  }
}
