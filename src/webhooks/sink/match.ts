import {
  differences,
  formatDifferences,
  globPattern,
  matches,
  type Difference,
} from '../../base/text/match.js'
import {
  anything,
  either,
  aFlag,
  isObject,
  oneOf,
  Options,
  parts,
  recordOf,
  aText,
  type Kind,
} from '../../base/text/options.js'
import { didYouMean } from '../../base/text/nearest.js'
import { InWords, shown } from '../../base/text/shown.js'
import { eventTypes } from '../../service/scenario/event-types.js'
import type { EventType } from '../../service/scenario/scenario.js'
import { verdicts, type Verdict } from '../signature/verify.js'
import type { ReceivedDelivery } from './received-delivery.js'

/**
 * Matches deliveries by all the fields that it names.
 *
 * @example
 * await sink.waitFor({ event: 'RUN_*', verdict: 'valid', body: { run_state: 'failed' } })
 */
export interface DeliveryPattern {
  /** A glob for the payload's `event_type`, such as `RUN_*`. */
  readonly event?: EventType | (string & {})
  /** A glob for the path, such as `/hooks/*`. */
  readonly path?: string
  /** A glob for the HTTP method, in any case. */
  readonly method?: string
  /** The result of the verification of its signature. */
  readonly verdict?: Verdict
  /** Whether the delivery repeats an earlier one: see `ReceivedDelivery.duplicateOf`. */
  readonly duplicate?: boolean
  /** Globs for headers. The case of their names does not matter. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * A part of the JSON body. Fields that it does not name may have any value. It may contain regular expressions, functions
   * that return true, and matchers such as `expect.any(String)`.
   */
  readonly body?: unknown
}

/** A glob, or the name of an event. A payload of your own may have another one, but none that is nearly the same. */
const anEvent: Kind = {
  check(value, place) {
    aText.check(value, place)
    const written = value as string
    if (/^!|[*?[{]/.test(written) || eventTypes.some((type) => type === written)) return
    const meant = didYouMean(written.toUpperCase(), eventTypes)
    if (meant !== '') place.refuse(`is ${shown(written)}, which is not an event.${meant}`)
  },
}

export const deliveryPattern = new Options<DeliveryPattern>('sink.matching', {
  event: anEvent,
  path: aText,
  method: aText,
  verdict: oneOf(...verdicts),
  duplicate: aFlag,
  headers: recordOf(aText),
  body: anything,
})

const isFunction = (match: unknown): boolean => typeof match === 'function'
export const deliveryMatch = either(isFunction, parts(deliveryPattern))

/** @throws {OptionsError} When deliveries can't be compared with `match`. */
export function checkMatch(match: unknown, of: string): void {
  if (!isFunction(match)) deliveryPattern.check(match, of)
}

/** A pattern, or a function that decides itself. */
export type DeliveryMatch = DeliveryPattern | ((delivery: ReceivedDelivery) => boolean)

export function matchesDelivery(match: DeliveryMatch, delivery: ReceivedDelivery): boolean {
  if (typeof match === 'function') return match(delivery)
  return matches(comparable(match), viewOf(delivery))
}

/**
 * Formats the delivery that comes closest to a match, and every place in which it differs. It completes
 * the message of a failing test.
 */
export function nearestDelivery(
  deliveries: readonly ReceivedDelivery[],
  match: DeliveryMatch,
): string {
  let nearest: { delivery: ReceivedDelivery; found: Difference[] } | undefined
  for (const delivery of deliveries) {
    const found = deliveryDifferences(match, delivery)
    // Of equally near ones, the latest: the test just caused it.
    if (found.length > 0 && (!nearest || found.length <= nearest.found.length)) {
      nearest = { delivery, found }
    }
  }
  if (!nearest) return deliveries.length === 0 ? 'Nothing was received at all.' : ''
  const { delivery, found } = nearest
  return [`The nearest is ${delivery.toString()}`, ...formatDifferences(found)].join('\n')
}

function deliveryDifferences(match: DeliveryMatch, delivery: ReceivedDelivery): Difference[] {
  if (typeof match === 'function') {
    if (match(delivery)) return []
    return [{ path: ['delivery'], expected: match, received: new InWords(delivery.toString()) }]
  }
  return differences(comparable(match), viewOf(delivery))
}

/** The pattern with its globs read, and names of headers in lower case. What is undefined is left out. */
function comparable({ event, path, method, headers, body, ...rest }: DeliveryPattern): object {
  const globs = Object.entries(headers ?? {}).map(([name, glob]) => {
    return [name.toLowerCase(), globPattern(glob)] as const
  })
  return {
    ...(event !== undefined && { event: globPattern(event) }),
    ...(path !== undefined && { path: globPattern(path) }),
    ...(method !== undefined && { method: globPattern(method.toUpperCase()) }),
    ...(withoutUndefined(rest) as object),
    ...(globs.length > 0 && { headers: Object.fromEntries(globs) }),
    ...(body !== undefined && { body: withoutUndefined(body) }),
  }
}

/** A field of the body that is undefined may have any value. */
function withoutUndefined(pattern: unknown): unknown {
  if (Array.isArray(pattern)) return pattern.map(withoutUndefined)
  if (!isObject(pattern) || Object.getPrototypeOf(pattern) !== Object.prototype) return pattern
  return Object.fromEntries(
    Object.entries(pattern)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, withoutUndefined(value)]),
  )
}

/** A delivery as patterns see it. Its body is read only if a pattern asks for it. */
function viewOf(delivery: ReceivedDelivery): object {
  const { path, method, verdict, headers, duplicateOf } = delivery
  return {
    path,
    method,
    verdict,
    headers,
    duplicate: duplicateOf !== undefined,
    get event() {
      return delivery.event
    },
    get body() {
      return delivery.body
    },
  }
}
