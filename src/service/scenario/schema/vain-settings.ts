import type * as z from 'zod'
import { isDuration, milliseconds } from '../../../base/text/duration.js'
import type { Delay } from '../faults/kinds/delay.js'
import type { PartProblem, Path } from './check-webhooks.js'
import type { calls } from './fault-fields.js'
import type { judge } from './judge.js'
import type { timelineEntry } from './timeline.js'
import type { webhook } from './webhooks.js'

/**
 * Settings that have the right types, and can never have an effect. New ones are refused; worlds that were saved before
 * may have them.
 */

/** Finds what can never apply to a call. */
export function vainInFault({ calls: which, during, delay }: TimedFault): PartProblem[] {
  const found = [...emptyRange(which, ['calls']), ...emptyWindow(during, ['during'])]
  if (typeof delay !== 'object') return found
  const [key, longest, other] =
    'from' in delay ? ['to', delay.to, delay.from] : ['p99', delay.p99, delay.median]
  if ((excess(longest, other) ?? 0) >= 0) return found
  const message = `${longest} is shorter than ${other}; expected at least ${other}`
  return [...found, { path: ['delay', key], message }]
}

/** What all kinds of faults may have, and what only one has. */
interface TimedFault {
  readonly calls?: Range
  readonly during?: TimeWindow
  readonly delay?: Delay
}

type Range = z.output<typeof calls> | undefined
type TimeWindow = { readonly from: string; readonly to?: string | undefined } | undefined

/** Finds what deliveries can never meet, or never have. */
export function vainInWebhooks(webhooks: readonly z.output<typeof webhook>[]): PartProblem[] {
  return webhooks.flatMap(({ signature: { header }, adversary }, index) => [
    ...(OF_HTTP.has(header.toLowerCase())
      ? [{ path: ['webhooks', index, 'signature', 'header'], message: ofHttp(header) }]
      : []),
    ...adversary.flatMap((rule, place) => {
      const path = ['webhooks', index, 'adversary', place]
      const window = rule.do === 'down' ? emptyWindow(rule, path) : []
      return [...emptyRange(rule.deliveries, [...path, 'deliveries']), ...window]
    }),
  ])
}

/** Finds entries of a timeline that wait for no event. */
export function vainInTimeline(entries: readonly z.output<typeof timelineEntry>[]): PartProblem[] {
  return entries.flatMap(({ after }, index) => {
    return emptyRange(after?.occurrence, ['timeline', index, 'after', 'occurrence'])
  })
}

/** Finds mistakes that a judge never makes. */
export function vainInJudge(rules: z.output<typeof judge>): PartProblem[] {
  return rules ? emptyRange(rules.calls, ['chat', 'judge', 'calls']) : []
}

/** Headers that HTTP clients write themselves. They refuse or replace those of others. */
const OF_HTTP: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
])

function ofHttp(header: string): string {
  return `HTTP itself writes the header ${header}; expected another name, such as X-Hub-Signature-256`
}

function emptyRange(range: Range, path: Path): PartProblem[] {
  if (typeof range !== 'object' || Array.isArray(range)) return []
  const { from = 1, to = from } = range
  if (to >= from) return []
  const message = `${to} comes before ${from}, where the range begins; expected at least ${from}`
  return [{ path: [...path, 'to'], message }]
}

function emptyWindow(window: TimeWindow, path: Path): PartProblem[] {
  if (window?.to === undefined || (excess(window.to, window.from) ?? 1) > 0) return []
  const message = `${window.to} is not after ${window.from}, when it begins; expected more than ${window.from}`
  return [{ path: [...path, 'to'], message }]
}

/** How much longer a duration is than another, in milliseconds. Undefined if one is none, which is refused elsewhere. */
function excess(one: string, other: string): number | undefined {
  return isDuration(one) && isDuration(other) ? milliseconds(one) - milliseconds(other) : undefined
}
