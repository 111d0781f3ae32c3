import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Template } from '../../../src/service/contract/jinja/template.js'
import { TemplateError } from '../../../src/service/contract/jinja/python.js'
import { VARIABLES } from './templates.js'

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

/** The results that the comparison with Jinja2 wrote. */
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
