import { readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createOwnFolder } from '../emulator/adapters/own-folder.js'
import type { Environment } from './environment.js'

/** A file of logins for a command. */
export interface OwnLogins {
  readonly variables: Readonly<Record<'NETRC', string>>
  remove(): void
}

/**
 * Gives a command a copy of the user's file of logins. Clients write their key into that file when a program logs in,
 * and other programs read it, so it is neither shared nor empty.
 *
 * @param hosts - Hosts that the emulator answers in place of their owner. The copy has no logins for them.
 */
export function ownLogins(
  { NETRC: given = '', HOME: home = homedir() }: Environment,
  hosts: readonly string[] = [],
): OwnLogins {
  const folder = createOwnFolder('logins')
  const copy = join(folder.path, 'netrc')
  try {
    // Its bytes stay as they are.
    const text = readFileSync(given === '' ? join(home, '.netrc') : given, 'latin1')
    writeFileSync(copy, withoutLogins(text, hosts), 'latin1')
  } catch {
    // There is none, or it cannot be read: then the command has no logins either.
  }
  return {
    variables: { NETRC: copy },
    remove: () => folder.remove(),
  }
}

const WORD = String.raw`(?:"(?:\\.|[^"\\])*"|\S+)`
/** The entry of a host: its name, then pairs of words. */
const ENTRY = new RegExp(
  String.raw`(?<!\S)machine\s+(${WORD})(?:\s+(?:login|user|account|password)\s+${WORD})*`,
  'g',
)

function withoutLogins(text: string, hosts: readonly string[]): string {
  return text.replaceAll(ENTRY, (entry, host: string) => {
    return hosts.includes(host.replaceAll('"', '').toLowerCase()) ? '' : entry
  })
}
