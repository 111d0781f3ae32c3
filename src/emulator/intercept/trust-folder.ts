import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOwnFolder, type OwnFolder } from '../adapters/own-folder.js'
import { NODE_PRELOAD } from './node-preload.js'
import { rootsIn, trustedRoots } from './roots.js'

/** Files that a command needs to trust the certificate of an interceptor. None of them has a secret. */
export interface TrustFolder {
  /** The folder itself. */
  readonly path: string
  /** The certificate of the authority, and all that the command trusted before. */
  readonly bundle: string
  /** The certificate of the authority, and what Node trusted besides its own certificates. */
  readonly extra: string
  /** An empty folder: nothing but the bundle is trusted. */
  readonly empty: string
  /** A module for versions of Node that do not read the variables of a proxy. */
  readonly preload: string
  remove(): void
}

/**
 * Writes the files that a command needs to trust an authority. Nothing is installed in the system.
 *
 * @param chosen - A folder that others share. Default: a temporary one.
 * @throws {Error} When the chosen folder holds something else, or cannot be written to.
 */
export function createTrustFolder(
  authority: string,
  environment: Readonly<Record<string, string | undefined>>,
  chosen?: string,
): TrustFolder {
  const folder = chosen === undefined ? createOwnFolder('intercept') : sharedFolder(chosen)
  const write = (name: FileName, text: string): string => {
    const file = join(folder.path, name)
    writeFileSync(file, text)
    return file
  }
  const empty = join(folder.path, EMPTY)
  mkdirSync(empty)
  const { NODE_EXTRA_CA_CERTS: extra } = environment
  return {
    path: folder.path,
    bundle: write('bundle.pem', [authority, ...trustedRoots(environment)].join('')),
    extra: write('authority.pem', [authority, ...rootsIn(extra)].join('')),
    empty,
    preload: write('preload.cjs', NODE_PRELOAD),
    remove: () => folder.remove(),
  }
}

const FILES = ['bundle.pem', 'authority.pem', 'preload.cjs'] as const
type FileName = (typeof FILES)[number]
const EMPTY = 'none'

/** A folder that stays when its files go: it may be a volume. What a command that was killed left is removed. */
function sharedFolder(path: string): OwnFolder {
  mkdirSync(path, { recursive: true })
  const names: readonly string[] = [...FILES, EMPTY]
  const other = readdirSync(path).find((name) => !names.includes(name))
  if (other !== undefined) {
    throw new Error(
      `The folder ${path} for certificates has ${other}, which is something else. Nothing was changed. Choose an empty folder.`,
    )
  }
  const remove = (): void => {
    for (const name of names) rmSync(join(path, name), { recursive: true, force: true })
  }
  remove()
  return { path, remove }
}
