import { counted } from '../../base/text/counted.js'
import type { Journal, RequestEntry } from '../../service/engine/journal.js'
import { failingWith } from '../../base/text/background-errors.js'
import { milliseconds } from '../../base/text/duration.js'
import { aDuration, Options } from '../../base/text/options.js'
import { Lookout, type LookoutWorld } from '../../base/clock/lookout.js'
import { cancelTimer, startTimer } from '../../base/clock/wall.js'
import { formatDifferences, type Difference } from '../../base/text/match.js'
import { formatRequest } from './format.js'
import { otherWorldsText } from './other-worlds.js'
import {
  formatPattern,
  matchesRequest,
  patternOf,
  requestDifferences,
  shownDifferences,
  type WhichRequest,
} from './request-pattern.js'
import { EmulatorError } from '../../base/text/emulator-error.js'

/** The options of `requests.waitFor`. */
export interface WaitOptions {
  /** The longest wait, in real time: `2s`, or milliseconds. Default: `4s`. */
  within?: string | number
}

export const waitOptions = new Options<WaitOptions>('requests.waitFor', { within: aDuration })

/** Shorter than the five seconds of test runners, so that our message is shown. */
const PATIENCE = 4_000
/** How many of the latest requests are compared to find the nearest. */
const MOST_COMPARED = 500

/**
 * Thrown when no request matches. The message shows the nearest request and how it differs. Code
 * `SVTRAIN_NO_SUCH_REQUEST`.
 */
export class NoSuchRequestError extends EmulatorError {
  override readonly name = 'NoSuchRequestError'
  readonly code = 'SVTRAIN_NO_SUCH_REQUEST'
}

interface World extends LookoutWorld {
  readonly journal: Journal
  readonly seed: number
  /** The worlds of API keys. */
  readonly worlds?: Iterable<Pick<World, 'journal'> & { readonly worldName: string | null }>
}

/**
 * The requests that clients made, for tests to verify: `emulator.requests`.
 *
 * @example
 * const { body } = emulator.requests.find('createRlTrainingJob')
 */
export class Requests {
  readonly #world: World

  constructor(world: World) {
    this.#world = world
  }

  /**
   * Returns the recorded requests that match, oldest first. Without a pattern, all of them.
   *
   * @throws {UnknownOperationError} When there is no such operation.
   * @throws {OptionsError} When the pattern has an unknown field.
   * @example
   * const failed = emulator.requests.all({ status: (status: number) => status >= 500 })
   */
  all(which: WhichRequest = {}): RequestEntry[] {
    const pattern = patternOf(which, 'requests.all')
    return requestsIn(this.#world).filter((request) => matchesRequest(pattern, request))
  }

  /**
   * Returns how many recorded requests match. Without a pattern, the number of all.
   *
   * @throws {UnknownOperationError} When there is no such operation.
   * @throws {OptionsError} When the pattern has an unknown field.
   * @example
   * expect(emulator.requests.count('createRlTrainingJob')).toBe(1)
   */
  count(which: WhichRequest = {}): number {
    return this.all(patternOf(which, 'requests.count')).length
  }

  /**
   * Returns the first recorded request that matches.
   *
   * @throws {NoSuchRequestError} When none matches. The message shows the nearest one.
   * @throws {UnknownOperationError} When there is no such operation.
   * @throws {OptionsError} When the pattern has an unknown field.
   * @example
   * const { body } = emulator.requests.find('createRlTrainingJob')
   */
  find(which: WhichRequest): RequestEntry {
    const pattern = patternOf(which, 'requests.find')
    const found = requestsIn(this.#world).find((request) => matchesRequest(pattern, request))
    if (found) return found
    throw new NoSuchRequestError(`No request matches ${this.nearestTo(pattern)}`)
  }

  /**
   * Waits for a request that matches, and for its response. Resolves at once if one was made before. It
   * does not move the clock: your client or your test does.
   *
   * @throws {NoSuchRequestError} When none comes in time, or as soon as nothing in this process could make one.
   * @throws {UnknownOperationError} When there is no such operation.
   * @throws {OptionsError} When the pattern or an option can't be used.
   * @example
   * await emulator.requests.waitFor('createRlTrainingJob', { within: '2s' })
   */
  waitFor(which: WhichRequest, options: WaitOptions = {}): Promise<RequestEntry> {
    const pattern = patternOf(which, 'requests.waitFor')
    waitOptions.check(options)
    const { within = PATIENCE } = options
    const limit = milliseconds(within)
    const made = requestsIn(this.#world).find((request) => {
      return request.took !== undefined && matchesRequest(pattern, request)
    })
    if (made) return Promise.resolve(made)
    return new Promise((resolve, reject) => {
      const end = (): void => {
        unsubscribe()
        lookout.end()
        cancelTimer(timer)
      }
      const miss = failingWith(reject, (why: string) => {
        end()
        const what = this.nearestTo(pattern)
        reject(new NoSuchRequestError(`${why} that matches ${what}`))
      })
      const unsubscribe = this.#world.journal.subscribe((entry) => {
        if (entry.kind !== 'request' || !matchesRequest(pattern, entry)) return
        end()
        resolve(entry)
      })
      const timer = startTimer(limit, () => miss(`Within ${limit} ms, no request came`))
      const lookout = new Lookout(this.#world, () => {
        miss('Nothing that could make a request is under way, and none came')
      })
    })
  }

  /**
   * Formats the pattern and the nearest request, with every difference, for the message of a test.
   *
   * @internal
   */
  nearestTo(which: WhichRequest): string {
    const pattern = patternOf(which)
    const recorded = requestsIn(this.#world).slice(-MOST_COMPARED)
    const near = recorded
      .map((request) => ({ request, distance: distance(requestDifferences(pattern, request)) }))
      .filter((each) => each.distance > 0)
      .sort((one, other) => one.distance - other.distance || other.request.id - one.request.id)
      .at(0)
    const lines = [`${formatPattern(pattern)}.`]
    if (near) {
      const { request } = near
      const differences = requestDifferences(pattern, request)
      const latest = recorded.length === MOST_COMPARED ? 'the latest ' : ''
      const among = latest + counted(recorded.length, 'request')
      lines.push('', `The nearest of ${among} is ${formatRequest(request)}:`)
      lines.push(...formatDifferences(shownDifferences(differences, request)))
    }
    const elsewhere = this.inOtherWorlds(pattern)
    if (elsewhere !== undefined) lines.push('', `${elsewhere}.`)
    else if (recorded.length === 0) lines.push('', 'There was no request at all.')
    return [...lines, '', `Seed ${this.#world.seed}.`].join('\n')
  }

  /**
   * Says which worlds of API keys have requests that match, in a sentence without its full stop. Undefined if none has.
   *
   * @internal
   */
  inOtherWorlds(which: WhichRequest): string | undefined {
    const pattern = patternOf(which)
    return otherWorldsText('Such requests', this.#world, (world) => {
      return requestsIn(world).some((request) => matchesRequest(pattern, request))
    })
  }
}

function requestsIn({ journal }: Pick<World, 'journal'>): RequestEntry[] {
  return journal.entries.filter((entry) => entry.kind === 'request')
}

/** A different operation counts most. Other differences count the same. */
function distance(differences: readonly Difference[]): number {
  return differences.reduce((sum, { path: [field = ''] }) => sum + (WEIGHTS[field] ?? 1), 0)
}

const WEIGHTS: Readonly<Record<string, number>> = { operation: 100, path: 50, method: 20 }
