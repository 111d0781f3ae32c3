import { matchesCondition, matchesAllConditions } from '../../scenario/condition.js'
import { matchesGlob } from '../../../base/text/glob.js'
import type { ChatRule, JudgeRules } from '../../scenario/scenario.js'
import type { ChatFacts } from '../../scenario/chat-facts.js'
import type { findPattern as FindPattern, PatternMatch } from '../../../base/text/pattern.js'

type Conditions = Exclude<ChatRule['match'], (...args: never[]) => unknown>
type TextMatch = NonNullable<Conditions['user']>

/** `findPattern` is loaded if the scenario has a regular expression. */
export interface Finder {
  findPattern: typeof FindPattern | undefined
}

const NOTHING_FOUND: PatternMatch = {}

/**
 * Returns the matches of the regular expressions of a rule. Undefined if the rule does not match the chat. The
 * groups of `user` take precedence over those of `system`.
 */
export function matchChat(
  { match }: ChatRule,
  facts: ChatFacts,
  finder: Finder,
): PatternMatch | undefined {
  if (typeof match === 'function') return match(facts) ? NOTHING_FOUND : undefined
  const { model, step, turn, tools, headers, user, system } = match
  if (model !== undefined && !matchesGlob(facts.name, model)) return undefined
  if (step !== undefined && !matchesCondition(facts.step, step)) return undefined
  if (turn !== undefined && !matchesCondition(facts.turn, turn)) return undefined
  if (tools !== undefined && !offers(facts.tools, tools)) return undefined
  if (headers !== undefined && !matchesAllConditions(facts.headers, headers)) return undefined
  const inSystem = findIn(facts.system, system, finder)
  const inUser = findIn(facts.user, user, finder)
  if (!inSystem || !inUser) return undefined
  if (inSystem === NOTHING_FOUND) return inUser
  return { ...inSystem, ...inUser }
}

function offers(offered: readonly string[], wanted: NonNullable<Conditions['tools']>): boolean {
  if (typeof wanted === 'boolean') return offered.length > 0 === wanted
  return offered.some((name) => matchesGlob(name, wanted))
}

function findIn(
  text: string,
  wanted: TextMatch | undefined,
  { findPattern }: Finder,
): PatternMatch | undefined {
  if (wanted === undefined) return NOTHING_FOUND
  if (typeof wanted === 'string') return text.includes(wanted) ? NOTHING_FOUND : undefined
  if ('is' in wanted) return text === wanted.is ? NOTHING_FOUND : undefined
  return findPattern!(wanted.matches, text)
}

/** Whether a text matches a condition. */
export function matchesText(text: string, wanted: TextMatch, finder: Finder): boolean {
  return findIn(text, wanted, finder) !== undefined
}

/** Whether any rule of chats or of a judge has a regular expression. */
export function havePatterns(
  rules: readonly ChatRule[],
  ofJudge: JudgeRules['rules'] = [],
): boolean {
  return [...rules, ...ofJudge].some(({ match }) => {
    if (typeof match !== 'object') return false
    const texts = 'matches' in match || 'is' in match ? [match] : [match.user, match.system]
    return texts.some((wanted) => typeof wanted === 'object' && 'matches' in wanted)
  })
}

/** Whether a rule matches every chat. */
export function matchesAll({ match }: ChatRule): boolean {
  return typeof match !== 'function' && Object.keys(match).length === 0
}
