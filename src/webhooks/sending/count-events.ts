import { TEST_HEADER, type RuleResult } from './receiver-battery.js'

/** Makes events that a receiver cannot tell apart by the bytes of their deliveries. The first bytes are new to it. */
export interface EqualEvents {
  /** Makes one more event. Resolves when the receiver has answered its deliveries. */
  readonly happen: () => Promise<void>
  /** Sends the deliveries of the latest event once more. */
  readonly repeat: () => Promise<void>
}

/** How often a receiver acted, and the events that it should act on. */
export interface Counting {
  /** Returns how often the receiver has acted. It resolves when no work is left. */
  readonly count: (() => Promise<number>) | undefined
  /** Undefined if nothing tells two events from one delivery that comes twice. */
  readonly events: EqualEvents | undefined
}

/** Ends the count: the reason goes into the report. */
export class CountError extends Error {
  override readonly name = 'CountError'
  /** `failed`: the receiver did something wrong. `impossible`: nothing can be said about it. */
  readonly kind: 'failed' | 'impossible'

  constructor(kind: CountError['kind'], reason: string) {
    super(reason)
    this.kind = kind
  }
}

const EQUAL = { id: 'equal-events', rule: 'acts on each of two events with equal bytes' }
const REPEATED = { id: 'repeated', rule: 'acts once on a delivery that comes twice' }

/** The rules of a count. */
export const countRules = [EQUAL, REPEATED]

/** The events that a count makes. */
export const EVENTS_OF_A_COUNT = 3

/**
 * Decides by a count whether a receiver acts once for each event. It is as if the receiver were asked: "How often
 * did you act?", before and after two events with equal bytes, and a delivery that comes twice.
 */
export async function judgeCounts({ count, events }: Counting): Promise<RuleResult[]> {
  if (!count) {
    return skipped(
      'not judged: the check sees answers, not what your receiver does. Pass --count-url <url>, which answers with how often it acted',
    )
  }
  if (!events) {
    return skipped(
      'not judged: nothing in these deliveries tells two events from one that comes twice. Pass --emulator <url>, the emulator that your receiver reads. Or pass --standard if your sender sends a webhook-id',
    )
  }
  try {
    return judged(await risesOf(count, events))
  } catch (error) {
    if (!(error instanceof CountError)) throw error
    if (error.kind === 'impossible') return skipped(`not judged: ${error.message}`)
    const [equal, repeated] = skipped('not judged: the count ended before it')
    return [{ ...equal!, result: 'fail', detail: error.message }, repeated!]
  }
}

/** By how much the count rises with each step. */
interface Rises {
  readonly first: number
  readonly second: number
  readonly again: number
  readonly last: number
}

async function risesOf(count: () => Promise<number>, events: EqualEvents): Promise<Rises> {
  let before = await count()
  const riseOf = async (step: () => Promise<void>): Promise<number> => {
    await step()
    const now = await count()
    const rise = now - before
    before = now
    return rise
  }
  const first = await riseOf(events.happen)
  const second = await riseOf(events.happen)
  const again = await riseOf(events.repeat)
  // If the count is late, what was done again shows here.
  const last = await riseOf(events.happen)
  return { first, second, again, last }
}

function judged({ first, second, again, last }: Rises): RuleResult[] {
  if (first < 1) {
    return [
      {
        ...EQUAL,
        result: 'fail',
        detail: `${riseText(first)} after an event`,
        hint: `Let the count URL answer when no work is left. Check that the deliveries reach this receiver, and that it does not skip its work because of the header ${TEST_HEADER}.`,
      },
      { ...REPEATED, result: 'skipped', detail: 'nothing was counted' },
    ]
  }
  const extra = again + last - second
  return [
    first === second
      ? { ...EQUAL, result: 'pass' }
      : {
          ...EQUAL,
          result: 'fail',
          detail: `the count rose by ${first} for an event, and by ${second} for the next one`,
          hint: `Equal bytes do not make the same event: a hash of the body is not a key. ${HOW}`,
        },
    extra === 0
      ? { ...REPEATED, result: 'pass' }
      : {
          ...REPEATED,
          result: 'fail',
          detail: `${riseText(extra)} although nothing happened`,
          hint: `One event may have several deliveries. ${HOW}`,
        },
  ]
}

const HOW =
  'Act once for each id that you read from the API, or once for each webhook-id if your sender sends one. `svtrain-emulator docs idempotent` shows how.'

function riseText(rise: number): string {
  if (rise === 0) return 'the count stayed the same'
  return rise > 0 ? `the count rose by ${rise}` : `the count fell by ${-rise}`
}

function skipped(detail: string): RuleResult[] {
  return countRules.map((rule) => ({ ...rule, result: 'skipped', detail }))
}
