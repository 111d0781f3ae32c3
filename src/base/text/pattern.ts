import { RE2JS } from 're2js'
import { compiledOnce } from './compiled-once.js'

/** The match of a regular expression: the whole match at 0, and its groups by number and by name. */
export type PatternMatch = Readonly<Record<string, string>>

const compiled = compiledOnce((pattern) => RE2JS.compile(pattern))

/**
 * Returns the first match of a regular expression in RE2 syntax. The time is proportional to the length of
 * the text, so no text from a client can block the emulator.
 */
export function findPattern(pattern: string, text: string): PatternMatch | undefined {
  const expression = compiled(pattern)
  const matcher = expression.matcher(text)
  if (!matcher.find()) return undefined
  const found: Record<string, string> = {}
  for (let group = 0; group <= matcher.groupCount(); group++) {
    found[group] = matcher.group(group) ?? ''
  }
  for (const [name, group] of Object.entries(expression.namedGroups())) found[name] = found[group]!
  return found
}

/** The most instructions of a regular expression. The time of a match is theirs times the length of the text. */
const MOST_INSTRUCTIONS = 5000

/** How many instructions a regular expression that is valid compiles to. */
export function patternSize(pattern: string): number {
  return compiled(pattern).programSize()
}

/** Says what is wrong with a regular expression. Undefined if it is valid. */
export function findPatternProblem(pattern: string): string | undefined {
  try {
    const size = patternSize(pattern)
    return size > MOST_INSTRUCTIONS
      ? `expected a regular expression that compiles to at most ${MOST_INSTRUCTIONS} instructions, and this one has ${size}: let it repeat less`
      : undefined
  } catch (error) {
    return `expected a regular expression in RE2 syntax: ${(error as Error).message}`
  }
}
