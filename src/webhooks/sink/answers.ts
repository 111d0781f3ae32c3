import { holdsFunction } from '../../base/text/holds-function.js'
import { findUnwritable } from '../../base/text/writable.js'
import {
  aDuration,
  aFlag,
  Options,
  recordOf,
  aText,
  valueKind,
  wholeNumber,
  type Kind,
} from '../../base/text/options.js'
import { deliveryMatch, matchesDelivery, type DeliveryMatch } from './match.js'
import type { ReceivedDelivery } from './received-delivery.js'

/** How to answer deliveries: the argument of `sink.answer`. */
export interface ScriptedAnswer {
  /** Which deliveries it answers. Default: all. */
  readonly match?: DeliveryMatch
  /** How many deliveries it answers. Later ones go to the next script. Default: all. */
  readonly times?: number
  /** The HTTP status of the response. Default: 200. */
  readonly status?: number
  /** Headers of the response. They may replace the content type. */
  readonly headers?: Readonly<Record<string, string>>
  /** The body of the response: a text as it is, any other value as JSON. Default: what the sink found. */
  readonly body?: unknown
  /** Delays the response: `2s`, or milliseconds, on the emulator's clock if there is one. */
  readonly after?: string | number
  /** Closes the connection without a response. */
  readonly drop?: boolean
}

const aBody = valueKind('a text, or a value that JSON can write', (value) => {
  return findUnwritable(value) === undefined && !holdsFunction(value)
})

const someHeaders: Kind = {
  check(value, place) {
    recordOf(aText).check(value, place)
    for (const header of Object.entries(value as Record<string, string>)) {
      try {
        new Headers().append(...header)
      } catch {
        place.part(header[0]).refuse('cannot be sent: HTTP allows no such name, or no such value.')
      }
    }
  },
}

export const scriptedAnswer = new Options<ScriptedAnswer>('sink.answer', {
  match: deliveryMatch,
  times: wholeNumber(),
  status: wholeNumber({ least: 200, most: 599 }),
  headers: someHeaders,
  body: aBody,
  after: aDuration,
  drop: aFlag,
})

/** A scripted answer that was added to a sink. */
export interface AddedAnswer {
  /** How many deliveries it has answered. */
  readonly used: number
  /** Removes the script. */
  remove: () => void
}

/** The scripted answers, in order. The first one that matches answers. */
export class ScriptedAnswers {
  #rules: { answer: ScriptedAnswer; used: number }[] = []

  /** @throws {OptionsError} When an option can't be used. */
  add(answer: ScriptedAnswer): AddedAnswer {
    scriptedAnswer.check(answer)
    const rule = { answer, used: 0 }
    this.#rules.push(rule)
    return {
      get used() {
        return rule.used
      },
      remove: () => void (this.#rules = this.#rules.filter((each) => each !== rule)),
    }
  }

  clear(): void {
    this.#rules = []
  }

  for(delivery: ReceivedDelivery): ScriptedAnswer | undefined {
    const rule = this.#rules.find(({ answer: { match = {}, times = Infinity }, used }) => {
      return used < times && matchesDelivery(match, delivery)
    })
    if (rule) rule.used++
    return rule?.answer
  }
}
