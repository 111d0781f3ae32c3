import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Environment } from './environment.js'

/** A file of logins for a command. */
export interface OwnLogins {
  readonly variables: Readonly<Record<'NETRC', string>>
  remove(): void
}

/**
 * Gives a command a copy of the user's file of logins. Clients write their key into that file when a program logs in,
 * and other programs read it, so it is neither shared nor empty.
 */
export function ownLogins({ NETRC: given = '', HOME: home = homedir() }: Environment): OwnLogins {
  // Only its owner can read the folder.
  const folder = mkdtempSync(join(tmpdir(), 'svtrain-logins-'))
  const copy = join(folder, 'netrc')
  try {
    copyFileSync(given === '' ? join(home, '.netrc') : given, copy)
  } catch {
    // There is none, or it cannot be read: then the command has no logins either.
  }
  return {
    variables: { NETRC: copy },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
