import { anything, either, aFlag, oneOf, Options, parts, recordOf, aText } from '../text/options.js'
import { matchesGlob } from '../text/glob.js'
import type { Verdict } from '../signature/verify.js'
import type { ReceivedDelivery } from './received-delivery.js'

/** Which deliveries are meant: all of what is said must hold. */
export interface DeliveryPattern {
  /** The payload's `event_type`; a glob. */
  readonly event?: string
  /** A glob, such as `/hooks/*`. */
  readonly path?: string
  readonly method?: string
  readonly verdict?: Verdict
  /** Whether the same delivery came before: see `ReceivedDelivery.duplicateOf`. */
  readonly duplicate?: boolean
  /** Names in any case; each value is a glob. */
  readonly headers?: Readonly<Record<string, string>>
  /** A part of the body: of objects the fields named here. Test runners' `expect.any(…)` may stand in it. */
  readonly body?: unknown
}

export const deliveryPattern = new Options<DeliveryPattern>('sink.matching', {
  event: aText,
  path: aText,
  method: aText,
  verdict: oneOf('valid', 'missing', 'invalid', 'unverifiable'),
  duplicate: aFlag,
  headers: recordOf(aText),
  body: anything,
})

const isFunction = (match: unknown): boolean => typeof match === 'function'
export const deliveryMatch = either(isFunction, parts(deliveryPattern))

/** Throws `OptionsError` unless deliveries can be compared with `match`. */
export function checkMatch(match: unknown, of: string): void {
  if (!isFunction(match)) deliveryPattern.check(match, of)
}

export type DeliveryMatch = DeliveryPattern | ((delivery: ReceivedDelivery) => boolean)

/** One place in which a delivery is not what was meant. */
export interface Mismatch {
  /** `path`, `headers.x-service-signature`, `body.alias`. */
  readonly place: string
  readonly expected: string
  readonly actual: string
}

export function fits(delivery: ReceivedDelivery, match: DeliveryMatch): boolean {
  return mismatches(delivery, match).length === 0
}

export function mismatches(delivery: ReceivedDelivery, match: DeliveryMatch): Mismatch[] {
  if (typeof match === 'function') {
    if (match(delivery)) return []
    return [{ place: 'delivery', expected: shown(match), actual: delivery.toString() }]
  }
  const { event, path, method, verdict, duplicate, headers = {}, body } = match
  return [
    ...text('event', delivery.event, event),
    ...text('path', delivery.path, path),
    ...text('method', delivery.method, method?.toUpperCase()),
    ...part('verdict', delivery.verdict, verdict),
    ...part('duplicate', delivery.duplicateOf !== undefined, duplicate),
    ...Object.entries(headers).flatMap(([name, glob]) => {
      return text(`headers.${name}`, delivery.headers[name.toLowerCase()], glob)
    }),
    ...part('body', delivery.body, body),
  ]
}

function text(place: string, actual: string | undefined, glob: string | undefined): Mismatch[] {
  if (glob === undefined || (actual !== undefined && matchesGlob(actual, glob))) return []
  return [{ place, expected: shown(glob), actual: shown(actual) }]
}

interface Asymmetric {
  asymmetricMatch: (actual: unknown) => boolean
  toString: () => string
}

function part(place: string, actual: unknown, expected: unknown): Mismatch[] {
  if (expected === undefined) return []
  const differs = [{ place, expected: shown(expected), actual: shown(actual) }]
  if (typeof expected !== 'object' || expected === null) {
    return Object.is(actual, expected) ? [] : differs
  }
  if (isAsymmetric(expected)) return expected.asymmetricMatch(actual) ? [] : differs
  if (typeof actual !== 'object' || actual === null) return differs
  if (Array.isArray(expected) !== Array.isArray(actual)) return differs
  if (Array.isArray(expected) && expected.length !== (actual as unknown[]).length) return differs
  return Object.entries(expected).flatMap(([name, held]) => {
    const inside = Object.hasOwn(actual, name)
      ? (actual as Record<string, unknown>)[name]
      : undefined
    return part(Array.isArray(expected) ? `${place}[${name}]` : `${place}.${name}`, inside, held)
  })
}

function isAsymmetric(expected: object): expected is Asymmetric {
  return typeof (expected as Partial<Asymmetric>).asymmetricMatch === 'function'
}

const LONGEST = 200

/** A value in words, on one line and not too long. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (typeof value === 'function') return `a function ${value.name}`.trim()
  const json = JSON.stringify(value, (_name, held: unknown) => {
    return typeof held === 'object' && held !== null && isAsymmetric(held) ? held.toString() : held
  })
  return json.length <= LONGEST ? json : `${json.slice(0, LONGEST)}…`
}
