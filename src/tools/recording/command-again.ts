import { RUN_AGAIN } from '../../base/text/evidence.js'

/** A command goes on after a line end in quotes, or behind a backslash. */
const COMMAND = /^\s*(?<text>(?:\\[^]|'[^']*'|[^\\'\n])*)/
const WORD = /(?:\\[^\n]|'[^']*'|[^\\'\s])+/g
/** Options with a value, which a scenario that is made from a run has itself. */
const REPLACED = new Set(['--scenario', '--seed'])

/** Returns the options and the program of an `exec`, without those that its scenario has. Undefined for another command. */
export function commandAgain(command: string): string | undefined {
  const { text = '' } = COMMAND.exec(command)?.groups ?? {}
  const words: readonly string[] = text.match(WORD) ?? []
  const end = words.indexOf('--')
  const name = words.indexOf('exec')
  // The program of another command may have such a word, too.
  const isExec = name !== -1 && name < words.findIndex((word) => word.startsWith('-'))
  if (!isExec || end === -1) return undefined
  const kept = words.filter((word, at) => {
    return at >= end || !(REPLACED.has(word) || REPLACED.has(words[at - 1] ?? ''))
  })
  return kept.slice(name + 1).join(' ')
}

/** Finds that of the `exec` that wrote the log of a command. Undefined if there is none, or several. */
export function commandInLog(log: string): string | undefined {
  const below = log.split(`${RUN_AGAIN}:`).slice(1)
  const found = below.flatMap((text) => commandAgain(text.slice(text.indexOf('\n') + 1)) ?? [])
  const [first, ...others] = new Set(found)
  return others.length === 0 ? first : undefined
}
