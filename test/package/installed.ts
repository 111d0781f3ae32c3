import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import manifest from '../../package.json' with { type: 'json' }
import { installTarball, pack, readFolder, sizeOf } from '../../.build/release/packages.js'

export interface Installed {
  /** The project of a user who has installed the package, and nothing else. */
  folder: string
  /** The path of the packed package. */
  tarball: string
  /** The paths of the files in the package. */
  files: string[]
  packedBytes: number
  remove: () => Promise<void>
}

/** Packs the package as it would be published, and installs that in an empty folder. */
export async function install(): Promise<Installed> {
  const temporary = await mkdtemp(join(tmpdir(), 'svtrain-package-'))
  const tarball = await pack(temporary)
  const folder = await installTarball(tarball, temporary)
  const files = await readFolder(join(folder, 'node_modules', manifest.name))
  return {
    folder,
    tarball,
    files: [...files.keys()],
    packedBytes: await sizeOf(tarball),
    remove: () => rm(temporary, { recursive: true }),
  }
}
