import { didYouMean } from '../text/nearest.js'
import type { ChatFacts } from './chat-facts.js'

// Spaces around a name are removed later: matching many of them here would be slow.
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g

const NAMES = ['user', 'system', 'model', 'name', 'step', 'turn'] as const

/** Replaces the `{{names}}` in a text by values of the request. */
export function fillTemplate(
  template: string,
  facts: ChatFacts,
  found: Readonly<Record<string, string>>,
): string {
  if (!template.includes('{{')) return template
  return template.replaceAll(PLACEHOLDER, (_whole, written: string) => {
    const name = written.trim()
    if (name.startsWith('match.')) return found[name.slice('match.'.length)] ?? ''
    return String(facts[name as (typeof NAMES)[number]])
  })
}

/** Says what is wrong with a template, if anything is. */
export function findTemplateProblem(template: string): string | undefined {
  for (const [, written = ''] of template.matchAll(PLACEHOLDER)) {
    const name = written.trim()
    if ((NAMES as readonly string[]).includes(name) || /^match\.\w+$/.test(name)) continue
    const hint = didYouMean(name, NAMES, (each) => `{{${each}}}`)
    return `there is no {{${name}}}.${hint} Known: ${NAMES.join(', ')}, match.1, match.<name>.`
  }
  return undefined
}
