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

const WORD = /"(?:\\[^]|[^"\\])*"|\S+/g
/** Words that a value follows. The value may look like a keyword. */
const WITH_VALUE = ['machine', 'login', 'user', 'account', 'password']
const NEW_ENTRY = ['machine', 'default', 'macdef']
/** A macro ends with an empty line. */
const END_OF_MACRO = /\n[ \t\r]*\n|$(?![^])/g
const END_OF_LINE = /$/gm

/** Leaves out the entries of hosts with all that is in them, and comments that name the hosts. */
function withoutLogins(text: string, hosts: readonly string[]): string {
  const words = new RegExp(WORD)
  const normal = hosts.map(hostName)
  let copy = ''
  let from = 0
  let isHidden = false
  let before = ''
  const copyUntil = (end: number): void => {
    if (!isHidden) copy += text.slice(from, end)
    from = end
  }
  for (let found = words.exec(text); found; found = words.exec(text)) {
    const [word] = found
    const isValue = WITH_VALUE.includes(before)
    if (!isValue && word.startsWith('#')) {
      words.lastIndex = endAfter(text, found.index, END_OF_LINE)
      const comment = text.slice(found.index, words.lastIndex).toLowerCase()
      if (!normal.some((host) => comment.includes(host))) continue
      copyUntil(found.index)
      from = words.lastIndex
      continue
    }
    if (!isValue && NEW_ENTRY.includes(word)) {
      copyUntil(found.index)
      isHidden = false
      if (word === 'macdef') words.lastIndex = endAfter(text, found.index, END_OF_MACRO)
    }
    if (before === 'machine') isHidden = normal.includes(hostName(word.replaceAll('"', '')))
    before = isValue ? '' : word
  }
  copyUntil(text.length)
  return copy
}

function endAfter(text: string, start: number, end: RegExp): number {
  end.lastIndex = start
  const found = end.exec(text)
  return found ? found.index + found[0].length : text.length
}
