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
 *
 * @param chosen - A folder that others share. Default: a temporary one.
 * @throws {Error} When the chosen folder holds something else, or cannot be written to.
 */
export function createTrustFolder(
  authority: string,
  environment: Readonly<Record<string, string | undefined>>,
  chosen?: string,
): TrustFolder {
  removeOrphans()
  const folder = chosen ?? mkdtempSync(join(tmpdir(), `${PREFIX}${ownPid}-`))
  if (chosen !== undefined) prepareChosen(chosen)
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
    remove() {
      if (chosen === undefined) rmSync(folder, { recursive: true, force: true })
      else removeFiles(chosen)
    },
  }
}

/** What is in a folder. */
const FILES = ['bundle.pem', 'authority.pem', 'preload.cjs', 'none']

/** Removes what a command that was killed left in a folder. */
function prepareChosen(folder: string): void {
  mkdirSync(folder, { recursive: true })
  const other = readdirSync(folder).find((name) => !FILES.includes(name))
  if (other !== undefined) {
    throw new Error(
      `The folder ${folder} for certificates has ${other}, which is something else. Nothing was changed. Choose an empty folder.`,
    )
  }
  removeFiles(folder)
}

/** Removes the files of a command. The folder stays: it may be a volume. */
function removeFiles(folder: string): void {
  for (const name of FILES) rmSync(join(folder, name), { recursive: true, force: true })
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
