import { isAmong } from '../engine/faults/is-among.js'
import type { AdversaryRule } from '../scenario/scenario.js'
import { milliseconds } from '../text/duration.js'

/** What is done to the bytes and the signature of one delivery. */
export interface Tampering {
  /** Signed with a secret that nobody has, or with the one of that name. */
  readonly secret?: 'wrong' | { readonly named: string }
  readonly body?: 'altered' | 'truncated'
  readonly unsigned?: boolean
}

/** What an adversary has in mind for one delivery. */
export interface Plan {
  /** How many deliveries the event makes. */
  readonly copies: number
  /** How often each comes. */
  readonly times: number
  /** So many milliseconds later. */
  readonly delay: number
  /** Held until another goes out, or one that tells a newer state; for so many milliseconds at most. */
  readonly held?: { readonly until: 'next' | 'newer'; readonly within: number }
  readonly tampering: Tampering
}

const INNOCENT: Plan = { copies: 1, times: 1, delay: 0, tampering: {} }

/** What happens to the webhook's `ordinal`th delivery, counted from 1. */
export function planFor(rules: readonly AdversaryRule[], ordinal: number): Plan {
  return rules
    .filter(({ deliveries }) => isAmong(ordinal, deliveries))
    .reduce((plan, rule) => ({ ...plan, ...changed(plan, rule) }), INNOCENT)
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
    case 'missing_signature':
      return tamper({ unsigned: true })
    case 'down':
      return {}
  }
}

type Down = Extract<AdversaryRule, { do: 'down' }>

/** The rule by which the receiver is down, `since` milliseconds after the world began. */
export function downBy(
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

/** What arrives of a body that was signed as it is. */
export function tampered(body: Uint8Array, { body: how }: Tampering): Uint8Array {
  if (how === 'truncated') return body.slice(0, body.length >> 1)
  if (how !== 'altered') return body
  const text = new TextDecoder().decode(body)
  if (!text.endsWith('}')) return new TextEncoder().encode(`${text} `)
  const inner = text.slice(0, -1)
  const comma = inner.trimEnd().endsWith('{') ? '' : ','
  return new TextEncoder().encode(`${inner}${comma}"altered":true}`)
}
