import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pid as ownPid } from 'node:process'
import { startTimeOf } from '../../emulator/adapters/folder-lock.js'
import { NODE_PRELOAD } from './node-preload.js'
import { rootsIn, trustedRoots } from './roots.js'

const PREFIX = 'svtrain-emulator-intercept-'

/** Files that a command needs to trust the certificate of an interceptor. None of them has a secret. */
export interface TrustFolder {
  /** The certificate of the authority, and all that the command trusted before. */
  readonly bundle: string
  /** The certificate of the authority, and what `NODE_EXTRA_CA_CERTS` named before. */
  readonly extra: string
  /** A folder without certificates. */
  readonly empty: string
  /** A module that older versions of Node load first, so that their `fetch` uses a proxy. */
  readonly preload: string
  remove(): void
}

/**
 * Writes the files that a command needs to trust an authority. Nothing is installed in the system. Folders of
 * commands that were killed are removed as well.
 */
export function createTrustFolder(
  authority: string,
  environment: Readonly<Record<string, string | undefined>>,
): TrustFolder {
  removeOrphans()
  const folder = mkdtempSync(join(tmpdir(), `${PREFIX}${ownPid}-`))
  const write = (name: string, text: string): string => {
    const file = join(folder, name)
    writeFileSync(file, text)
    return file
  }
  const empty = join(folder, 'none')
  mkdirSync(empty)
  const { NODE_EXTRA_CA_CERTS: extra } = environment
  return {
    bundle: write('bundle.pem', [authority, ...trustedRoots(environment)].join('')),
    extra: write('authority.pem', [authority, ...rootsIn(extra)].join('')),
    empty,
    preload: write('preload.cjs', NODE_PRELOAD),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Removes the folders of processes that have ended without doing it. */
function removeOrphans(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = new RegExp(`^${PREFIX}(\\d+)-`).exec(name) ?? []
    if (pid === undefined || startTimeOf(Number(pid)) !== undefined) continue
    try {
      rmSync(join(tmpdir(), name), { recursive: true, force: true })
    } catch {
      // It belongs to another user.
    }
  }
}
