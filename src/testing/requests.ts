import { counted } from '../text/counted.js'
import type { Journal, RequestEntry } from '../engine/journal.js'
import { milliseconds } from '../text/duration.js'
import { aDuration, Options } from '../text/options.js'
import { cancelTimer, startTimer } from '../clock/wall.js'
import { toldRequest } from './told.js'
import {
  differencesFrom,
  fits,
  patternOf,
  patternShown,
  type WhichRequest,
} from './request-pattern.js'
import { EmulatorError } from '../text/emulator-error.js'

export interface WaitOptions {
  /** The longest it may take of real time: `2s`, or milliseconds. Default: `4s`. */
  within?: string | number
}

export const waitOptions = new Options<WaitOptions>('requests.waitFor', { within: aDuration })

/** Test runners give up after five seconds, and then cannot say why. */
const PATIENCE = 4_000
/** So many of the latest requests are looked at for the one that is nearest. */
const MOST_COMPARED = 500
const MOST_DIFFERENCES = 8

/**
 * Raised where no request is as expected. It shows the nearest one, and what differed. Code
 * `SVTRAIN_NO_SUCH_REQUEST`.
 */
export class NoSuchRequestError extends EmulatorError {
  override readonly name = 'NoSuchRequestError'
  readonly code = 'SVTRAIN_NO_SUCH_REQUEST'
}

/** What the emulator was asked, for tests to verify. */
export class Requests {
  readonly #world: { readonly journal: Journal; readonly seed: number }

  constructor(world: { readonly journal: Journal; readonly seed: number }) {
    this.#world = world
  }

  /** Those that fit, oldest first; all that are still recorded where nothing is named. */
  all(meant: WhichRequest = {}): RequestEntry[] {
    const pattern = patternOf(meant, 'requests.all')
    return this.#recorded().filter((request) => fits(pattern, request))
  }

  count(meant: WhichRequest = {}): number {
    return this.all(patternOf(meant, 'requests.count')).length
  }

  /** The first that fits. Raises `NoSuchRequestError`. */
  find(meant: WhichRequest): RequestEntry {
    const pattern = patternOf(meant, 'requests.find')
    const found = this.#recorded().find((request) => fits(pattern, request))
    if (found) return found
    throw new NoSuchRequestError(`No request fits ${this.nearestTo(pattern)}`)
  }

  /**
   * The first that fits, of those that were made or, once it is answered, one that is yet to come. It
   * moves no time: clients do, or the test does. Rejects with `NoSuchRequestError`, and throws
   * `OptionsError` or `UnknownOperationError`.
   */
  waitFor(meant: WhichRequest, options: WaitOptions = {}): Promise<RequestEntry> {
    const pattern = patternOf(meant, 'requests.waitFor')
    waitOptions.check(options)
    const { within = PATIENCE } = options
    const limit = milliseconds(within)
    const made = this.#recorded().find((request) => fits(pattern, request))
    if (made) return Promise.resolve(made)
    return new Promise((resolve, reject) => {
      const unsubscribe = this.#world.journal.subscribe((entry) => {
        if (entry.kind !== 'request' || !fits(pattern, entry)) return
        unsubscribe()
        cancelTimer(timer)
        resolve(entry)
      })
      const timer = startTimer(limit, () => {
        unsubscribe()
        const what = this.nearestTo(pattern)
        reject(new NoSuchRequestError(`Within ${limit} ms, no request came that fits ${what}`))
      })
    })
  }

  /** The pattern, the request that comes nearest to it, and what differs, in words. */
  nearestTo(meant: WhichRequest): string {
    const pattern = patternOf(meant)
    const recorded = this.#recorded()
    const near = recorded
      .slice(-MOST_COMPARED)
      .map((request) => ({ request, differences: differencesFrom(pattern, request) }))
      .filter(({ differences }) => differences.length > 0)
      .sort((one, other) => distance(one) - distance(other) || other.request.id - one.request.id)
      .at(0)
    const told = [`${patternShown(pattern)}.`]
    if (near) {
      const { request, differences } = near
      const among = counted(recorded.length, 'request')
      told.push('', `The nearest of ${among} is ${toldRequest(request)}:`)
      for (const { place, expected, received } of differences.slice(0, MOST_DIFFERENCES)) {
        told.push(`  ${place}: expected ${expected}, received ${received}`)
      }
      const left = differences.length - MOST_DIFFERENCES
      if (left > 0) told.push(`  … and ${counted(left, 'difference')} more`)
    } else if (recorded.length === 0) {
      told.push('', 'There was no request at all.')
    }
    return [...told, '', `Seed ${this.#world.seed}.`].join('\n')
  }

  #recorded(): RequestEntry[] {
    return this.#world.journal.entries.filter((entry) => entry.kind === 'request')
  }
}

/** Another operation is another thing altogether; beside that, each difference counts the same. */
function distance({ differences }: { differences: readonly { place: string }[] }): number {
  return differences.reduce((sum, { place }) => sum + (WEIGHTS[place] ?? 1), 0)
}

const WEIGHTS: Readonly<Record<string, number>> = { operation: 100, path: 50, method: 20 }
