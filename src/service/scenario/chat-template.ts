import { didYouMean } from '../../base/text/nearest.js'
import type { ChatFacts } from './chat-facts.js'

// Spaces around a name are removed later. An expression that matches them would be slow on many spaces.
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g

const NAMES = ['user', 'system', 'model', 'name', 'step', 'turn', 'tool'] as const

/** Replaces the `{{names}}` in a text with values of the request. */
export function fillAnswer(
  template: string,
  facts: ChatFacts,
  matches: Readonly<Record<string, string>>,
): string {
  if (!template.includes('{{')) return template
  return template.replaceAll(PLACEHOLDER, (_placeholder, content: string) => {
    const name = content.trim()
    if (name.startsWith('match.')) return matches[name.slice('match.'.length)] ?? ''
    if (name === 'tool') return facts.tools[0] ?? 'a_tool'
    return String(facts[name as Exclude<(typeof NAMES)[number], 'tool'>])
  })
}

/** Says what is wrong with a template. Undefined if it is valid. */
export function findTemplateProblem(template: string): string | undefined {
  for (const [, content = ''] of template.matchAll(PLACEHOLDER)) {
    const name = content.trim()
    if ((NAMES as readonly string[]).includes(name) || /^match\.\w+$/.test(name)) continue
    const hint = didYouMean(name, NAMES, (each) => `{{${each}}}`)
    return `there is no {{${name}}}.${hint} Known: ${NAMES.join(', ')}, match.1, match.<name>.`
  }
  return undefined
}
