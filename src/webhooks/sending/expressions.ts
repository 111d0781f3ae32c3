import type { findPattern } from '../../base/text/pattern.js'
import type { matchesFilter } from '../../service/api/platform/filter.js'
import { PlatformError } from '../../service/platform/platform-error.js'
import type { AutomationRule } from '../../service/scenario/scenario.js'
import type { WebhookEvent } from './event.js'
import { filteredValue } from './made-scope.js'

/**
 * The regular expressions and filters of automations. Their engine takes time in proportion to the text, so no
 * expression can hang the emulator. It is large, so it is loaded when an automation needs it.
 */
export class Expressions {
  #findPattern: typeof findPattern | undefined
  #matchesFilter: typeof matchesFilter | undefined

  /** Resolves once expressions can be used, and filters if programs make automations. */
  async load(withFilters: boolean): Promise<void> {
    this.#findPattern = (await import('../../base/text/pattern.js')).findPattern
    if (!withFilters) return
    this.#matchesFilter = (await import('../../service/api/platform/filter.js')).matchesFilter
  }

  /** Whether one of the rules has an expression while the engine is not loaded. */
  needs(rules: readonly AutomationRule[]): boolean {
    return this.#findPattern === undefined && rules.some(hasExpression)
  }

  get hasFilters(): boolean {
    return this.#matchesFilter !== undefined
  }

  /** Whether the expression matches anywhere in the text. */
  isIn(expression: string, text: string): boolean {
    return this.#findPattern!(expression, text) !== undefined
  }

  /** Whether a filter of a program finds an event. One that would read too much finds nothing. */
  finds(filter: string, event: WebhookEvent): boolean {
    try {
      return this.#matchesFilter!(filter, event, filteredValue)
    } catch (error) {
      if (error instanceof PlatformError) return false
      throw error
    }
  }
}

function hasExpression(rule: AutomationRule): boolean {
  if (rule.event === 'ADD_ARTIFACT_ALIAS') return rule.alias !== undefined
  if ('tag' in rule) return rule.tag !== undefined
  return 'run' in rule && rule.run.name !== undefined
}
