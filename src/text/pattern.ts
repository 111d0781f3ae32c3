import { RE2JS } from 're2js'

/** What a regular expression found: the whole at 0, its groups by number and by name. */
export type Found = Readonly<Record<string, string>>

// Compiled once for all that it is held against; no world leaves anything here.
const compiled = new Map<string, RE2JS>()

/**
 * What a regular expression finds in a text, or undefined. RE2's kind: it takes time in proportion to
 * the text, whatever a client sends.
 */
export function findPattern(pattern: string, text: string): Found | undefined {
  let expression = compiled.get(pattern)
  if (!expression) compiled.set(pattern, (expression = RE2JS.compile(pattern)))
  const matcher = expression.matcher(text)
  if (!matcher.find()) return undefined
  const found: Record<string, string> = {}
  for (let group = 0; group <= matcher.groupCount(); group++) {
    found[group] = matcher.group(group) ?? ''
  }
  for (const [name, group] of Object.entries(expression.namedGroups())) found[name] = found[group]!
  return found
}

/** What is wrong with a regular expression, in words, if anything is. */
export function findPatternProblem(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern)
    return undefined
  } catch (error) {
    return `expected a regular expression as RE2 has it: ${(error as Error).message}`
  }
}
