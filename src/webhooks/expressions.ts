import type { AutomationRule } from '../scenario/scenario.js'

interface Compiled {
  test: (text: string) => boolean
}

/**
 * The regular expressions of automations, in an engine whose time grows with the text alone: an
 * expression that would hang the language's own is an expression like any other.
 */
export class Expressions {
  readonly #compiled = new Map<string, Compiled>()
  #compile: ((expression: string) => Compiled) | undefined

  /** Resolves once expressions can be used. The engine is loaded here alone, for it is large. */
  async load(): Promise<void> {
    const { RE2JS } = await import('re2js')
    this.#compile = (expression) => RE2JS.compile(expression)
  }

  /** Whether rules need any that is not loaded yet. */
  needs(rules: readonly AutomationRule[]): boolean {
    return this.#compile === undefined && rules.some(hasExpression)
  }

  /** Whether a text has what the expression says, anywhere. */
  isIn(expression: string, text: string): boolean {
    let compiled = this.#compiled.get(expression)
    if (!compiled) this.#compiled.set(expression, (compiled = this.#compile!(expression)))
    return compiled.test(text)
  }
}

function hasExpression(rule: AutomationRule): boolean {
  if (rule.event === 'ADD_ARTIFACT_ALIAS') return rule.alias !== undefined
  if (rule.event === 'ADD_ARTIFACT_TAG') return rule.tag !== undefined
  return 'run' in rule && rule.run.name !== undefined
}
