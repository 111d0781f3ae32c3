import { readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { createOwnFolder } from '../emulator/adapters/own-folder.js'
import { hostName } from '../base/text/authority.js'
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

/**
 * The words of a file of logins: macros, which end with an empty line; comments; and all others, with the value that
 * follows some of them. A value may look like another word.
 */
const WORDS =
  /macdef(?=\s)[^]*?(?:\n[ \t\r]*\n|$)|#.*|(?:(machine|login|user|account|password)\s+)?("(?:\\[^]|[^"\\])*"|\S+)/g
const NEW_ENTRY = /^(?:machine|default|macdef)(?:\s|$)/

/** Leaves out the entries of hosts with all that is in them, and comments that name the hosts. */
function withoutLogins(text: string, hosts: readonly string[]): string {
  const normal = hosts.map(hostName)
  let copy = ''
  let from = 0
  let isHidden = false
  const copyUntil = (end: number): void => {
    if (!isHidden) copy += text.slice(from, end)
    from = end
  }
  for (const { 0: word, 1: key, 2: value = '', index } of text.matchAll(WORDS)) {
    if (word.startsWith('#') && normal.some((host) => word.toLowerCase().includes(host))) {
      copyUntil(index)
      from = index + word.length
    }
    if (!NEW_ENTRY.test(word)) continue
    copyUntil(index)
    isHidden = key === 'machine' && normal.includes(hostName(value.replaceAll('"', '')))
  }
  copyUntil(text.length)
  return copy
}
