import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Template } from '../../../src/service/contract/jinja/template.js'
import { TemplateError } from '../../../src/service/contract/jinja/python.js'

export const RESULTS = join(import.meta.dirname, 'results.json')

/** What a template writes with Jinja2, and what the emulator does with it. */
export interface Result {
  template: string
  jinja: { text?: string; error?: string }
  emulator: {
    kind: 'equal' | 'both fail' | 'refused' | 'fails' | 'different'
    /** Why it is refused or fails, or a text that differs. */
    message?: string
  }
}

/**
 * Small templates about what Jinja2 does otherwise than JavaScript, and what chat templates do with it. To add one, add
 * its `template`, and run the comparison with `--update`.
 */
export function readResults(): Result[] {
  return JSON.parse(readFileSync(RESULTS, 'utf8')) as Result[]
}

/** Renders a template, and compares it with Jinja2. */
export function outcomeOf(source: string, jinja: Result['jinja']): Result['emulator'] {
  let template: Template
  try {
    template = new Template(source)
    template.read()
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return { kind: 'refused', message: error.message }
  }
  try {
    const text = template.render(VARIABLES, 0)
    return text === jinja.text ? { kind: 'equal' } : { kind: 'different', message: text }
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error
    return { kind: jinja.error === undefined ? 'fails' : 'both fail', message: error.message }
  }
}

/** The variables of all these templates. */
export const VARIABLES: Readonly<Record<string, unknown>> = {
  values: [1, 2, 3],
  nested: { a: { b: [1, 'x', null] }, c: true, d: 'text' },
  flag: true,
  off: false,
  empty: [],
  number: 7,
  ratio: 2.5,
  emoji: '👩‍💻a🙂',
  lone: '\uD83D',
  add_generation_prompt: true,
  message: { role: 'user', content: 'Hi' },
  shadow: { items: [1], name: 'n', values: 'v', keys: 'k' },
  tools: [
    { name: 'b', n: 1, f: { x: 'X' } },
    { name: 'a', n: 0, f: { x: 'Y' } },
    { name: 'C', n: 1, f: { x: null } },
  ],
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: ' Hi \n' },
    { role: 'assistant', content: 'Hello' },
    { role: 'user', content: "It's <b> & 🙂" },
  ],
}
