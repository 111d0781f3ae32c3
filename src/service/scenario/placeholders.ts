import { didYouMean } from '../../base/text/nearest.js'

// Spaces around a name are removed later. An expression that matches them would be slow on many spaces.
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g

/** Replaces the `{{names}}` in a text with their values. One without a value stays: a function may return any text. */
export function fillPlaceholders(
  text: string,
  valueOf: (name: string) => string | undefined,
): string {
  if (!text.includes('{{')) return text
  return text.replaceAll(PLACEHOLDER, (whole, content: string) => valueOf(content.trim()) ?? whole)
}

interface PlaceholderNames {
  readonly names: readonly string[]
  /** Names of another form, and examples of them. */
  readonly others?: { readonly form: RegExp; readonly examples: readonly string[] }
}

/** Names the first `{{name}}` in a text that is not known. Undefined if all are. */
export function findPlaceholderProblem(
  text: string,
  { names, others }: PlaceholderNames,
): string | undefined {
  for (const [, content = ''] of text.matchAll(PLACEHOLDER)) {
    const name = content.trim()
    if (names.includes(name) || others?.form.test(name)) continue
    const hint = didYouMean(name, names, (each) => `{{${each}}}`)
    const known = [...names, ...(others?.examples ?? [])]
    return `there is no {{${name}}}.${hint} Known: ${known.join(', ')}.`
  }
  return undefined
}
