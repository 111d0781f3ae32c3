import { optionIn, wordsIn } from '../../base/text/command-words.js'
import { RUN_AGAIN } from '../../base/text/evidence.js'

/** Options with a value, which a scenario that is made from a run has itself. */
const REPLACED = new Set(['--scenario', '--seed'])

/** An `exec` that a report or a log names. */
interface NamedCommand {
  /** Its options and its program, without those that its scenario has itself. */
  readonly again: string
  readonly scenario: string | undefined
  readonly seed: string | undefined
}

/** Reads a command. Undefined if it is no `exec`. */
function readCommand(command: string): NamedCommand | undefined {
  const words = wordsIn(command)
  const end = words.indexOf('--')
  const name = words.indexOf('exec')
  // The program of another command may have such a word, too.
  const isExec = name !== -1 && name < words.findIndex((word) => word.startsWith('-'))
  if (!isExec || end === -1) return undefined
  const kept = words.filter((word, at) => {
    return at >= end || !(REPLACED.has(word) || REPLACED.has(words[at - 1] ?? ''))
  })
  const played = { scenario: optionIn(command, '--scenario'), seed: optionIn(command, '--seed') }
  return { again: kept.slice(name + 1).join(' '), ...played }
}

/** Returns the options and the program of an `exec`, without those that its scenario has. Undefined for another command. */
export function commandAgain(command: string): string | undefined {
  return readCommand(command)?.again
}

/** Finds each `exec` that wrote a part of the log of a command. */
function commandsInLog(log: string): NamedCommand[] {
  const below = log.split(`${RUN_AGAIN}:`).slice(1)
  return below.flatMap((text) => readCommand(text.slice(text.indexOf('\n') + 1)) ?? [])
}

/** Finds that of the `exec` that wrote the log of a command. Undefined if there is none, or several. */
export function commandInLog(log: string): string | undefined {
  const [first, ...others] = new Set(commandsInLog(log).map(({ again }) => again))
  return others.length === 0 ? first : undefined
}

/** What the commands in a log played: the name or the file of each scenario, and its seed. */
export function playedInLog(log: string): { name: string; seed: number }[] {
  return commandsInLog(log).flatMap(({ scenario: name, seed }) => {
    return name === undefined || seed === undefined ? [] : [{ name, seed: Number(seed) }]
  })
}
