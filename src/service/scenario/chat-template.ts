import type { ChatFacts } from './chat-facts.js'
import { fillPlaceholders, findPlaceholderProblem } from './placeholders.js'

const FACTS = ['user', 'system', 'model', 'name', 'step', 'turn'] as const

const MATCH = 'match.'

/** Replaces the `{{names}}` in a text with values of the request. */
export function fillAnswer(
  template: string,
  facts: ChatFacts,
  matches: Readonly<Record<string, string>>,
): string {
  return fillPlaceholders(template, (name) => {
    if (name === 'tool') return facts.tools[0] ?? 'a_tool'
    if (!name.startsWith(MATCH)) {
      const fact = FACTS.find((each) => each === name)
      return fact && String(facts[fact])
    }
    const group = name.slice(MATCH.length)
    return Object.hasOwn(matches, group) ? matches[group] : ''
  })
}

/** Says what is wrong with a template. Undefined if it is valid. */
export function findTemplateProblem(template: string): string | undefined {
  return findPlaceholderProblem(template, {
    names: [...FACTS, 'tool'],
    others: { form: /^match\.\w+$/, examples: ['match.1', 'match.<name>'] },
  })
}
