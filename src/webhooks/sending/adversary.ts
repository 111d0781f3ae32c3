import { isAmong } from '../../service/scenario/condition.js'
import type { AdversaryRule } from '../../service/scenario/scenario.js'
import { escapeUnit } from '../../base/text/escape.js'
import { parseJson } from '../../base/text/json-text.js'
import { milliseconds } from '../../base/text/duration.js'
import type { Tampering } from './saved-webhooks-schema.js'

/** What adversaries do to one delivery. The sender follows it. */
export interface Plan {
  /** How many deliveries the event makes. */
  readonly copies: number
  /** How often each of them is sent. */
  readonly times: number
  /** How much later it is sent, in milliseconds. */
  readonly delay: number
  /**
   * Held back until the next delivery of the webhook is sent, or one of a newer state; `within` is the
   * longest time, in milliseconds.
   */
  readonly held?: { readonly until: 'next' | 'newer'; readonly within: number }
  readonly tampering: Tampering
}

/** The plan for a delivery without an adversary. */
export const NO_CHANGES: Plan = { copies: 1, times: 1, delay: 0, tampering: {} }

/** Returns the plan for the webhook's `ordinal`th delivery, counted from 1. */
export function planFor(rules: readonly AdversaryRule[], ordinal: number): Plan {
  return rules
    .filter(({ deliveries }) => isAmong(ordinal, deliveries))
    .reduce((plan, rule) => ({ ...plan, ...changed(plan, rule) }), NO_CHANGES)
}

function changed(plan: Plan, rule: AdversaryRule): Partial<Plan> {
  const tamper = (more: Tampering): Partial<Plan> => ({ tampering: { ...plan.tampering, ...more } })
  switch (rule.do) {
    case 'duplicate':
      return { times: rule.times }
    case 'storm':
      return { copies: rule.times }
    case 'delayed':
      return { delay: plan.delay + milliseconds(rule.by) }
    case 'reordered':
      return { held: { until: 'next', within: milliseconds(rule.within) } }
    case 'late':
      return { held: { until: 'newer', within: milliseconds(rule.within) } }
    case 'wrong_secret':
      return tamper({ secret: 'wrong' })
    case 'old_secret':
      return tamper({ secret: { named: rule.secret } })
    case 'altered_body':
      return tamper({ body: 'altered' })
    case 'truncated_body':
      return tamper({ body: 'truncated' })
    case 'respelled_body':
      return tamper({ body: 'respelled' })
    case 'missing_signature':
      return tamper({ unsigned: true })
    case 'down':
      return {}
  }
}

/** Says which rules of the scenario changed the bytes or the signature of a delivery. Undefined if none did. */
export function tamperedBy({ secret, body, unsigned }: Tampering): string | undefined {
  const rules = [
    secret && (secret === 'wrong' ? 'wrong_secret' : 'old_secret'),
    body && body !== 'respelled' && `${body}_body`,
    unsigned && 'missing_signature',
  ]
  const named = rules.filter(Boolean).join(' and ')
  return named === '' ? undefined : `The scenario did that on purpose: ${named}.`
}

type Down = Extract<AdversaryRule, { do: 'down' }>

/** Returns the rule that has the receiver down `since` milliseconds after the world began, if any. */
export function outageAt(
  rules: readonly AdversaryRule[],
  { ordinal, since }: { ordinal: number; since: number },
): Down | undefined {
  return rules.find((rule): rule is Down => {
    if (rule.do !== 'down' || !isAmong(ordinal, rule.deliveries)) return false
    return (
      since >= milliseconds(rule.from) && (rule.to === undefined || since < milliseconds(rule.to))
    )
  })
}

/** Returns the bytes that are sent instead of a body. Except for those that are only written in another way, the signature stays that of the body. */
export function tampered(body: Uint8Array, { body: how }: Tampering): Uint8Array {
  if (how === 'respelled') return respelled(body)
  if (how === 'truncated') return body.slice(0, body.length >> 1)
  if (how !== 'altered') return body
  const text = new TextDecoder().decode(body)
  if (!text.endsWith('}')) return new TextEncoder().encode(`${text} `)
  const inner = text.slice(0, -1)
  const comma = inner.trimEnd().endsWith('{') ? '' : ','
  return new TextEncoder().encode(`${inner}${comma}"altered":true}`)
}

/** The same JSON as nobody writes it who parses it and writes it again. What is no JSON stays as it is. */
function respelled(body: Uint8Array): Uint8Array {
  const value = parseJson(new TextDecoder().decode(body))
  if (value === undefined) return body
  const json = JSON.stringify(value, null, 1).replaceAll('/', String.raw`\/`)
  const ascii = json.replaceAll(/[\u007f-\uffff]/g, escapeUnit)
  return new TextEncoder().encode(`${ascii}\n`)
}
