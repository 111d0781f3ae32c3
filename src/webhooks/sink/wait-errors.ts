import { counted } from '../../base/text/counted.js'
import { toIso } from '../../base/text/iso.js'
import { shown } from '../../base/text/shown.js'
import { nearestDelivery, type DeliveryMatch } from './match.js'
import type { ReceivedDelivery } from './received-delivery.js'
import { SinkError } from './sink-error.js'
import { PATIENCE, type SinkWorld, type WaitEnd } from './waiting.js'

/** The most deliveries that an error lists. */
const MOST_LISTED = 10

/** The most characters of a pattern in a message. */
const MOST_SHOWN = 400

/** A wait that ended without what it waited for. */
interface EndedWait {
  /** How many deliveries it wanted. */
  readonly count: number
  /** Those that match. */
  readonly found: readonly ReceivedDelivery[]
  readonly all: readonly ReceivedDelivery[]
  readonly end: WaitEnd
  readonly timeout: string | number
  readonly world: SinkWorld | undefined
}

/** The error of a wait for deliveries that did not come. It shows the nearest one. */
export function notReceived(match: DeliveryMatch, wait: EndedWait): SinkError {
  const { count, found, all, end, timeout, world } = wait
  const wanted = count === 1 ? 'a delivery' : `${count} deliveries`
  const rest = end === 'over' ? ', and nothing that could cause another one is under way' : ''
  const matched = `${found.length} of ${all.length} received match${rest}`
  const lines = [
    `Failed to receive ${wanted} like ${shown(match, MOST_SHOWN)}${timeOf(end, timeout)}: ${matched}.`,
    nearestDelivery(all, match),
    standstillOf(world),
  ]
  return new SinkError('SVTRAIN_NOT_RECEIVED', lines.filter((line) => line !== '').join('\n'))
}

/** The error of deliveries that must not come. */
export function unexpected(match: DeliveryMatch, found: readonly ReceivedDelivery[]): SinkError {
  const lines = [
    `Expected no delivery like ${shown(match, MOST_SHOWN)}, got ${found.length}:`,
    ...found.slice(0, MOST_LISTED).map((delivery) => `  ${delivery.toString()}`),
    ...(found.length > MOST_LISTED ? [`  … and ${found.length - MOST_LISTED} more`] : []),
  ]
  return new SinkError('SVTRAIN_UNEXPECTED_DELIVERY', lines.join('\n'))
}

/** For how long a wait went on. */
function timeOf(end: WaitEnd, timeout: string | number): string {
  if (end === 'late') return ` in time (${shown(timeout)})`
  return end === 'idle' ? ` in ${PATIENCE} of real time, in which the clock had nothing to do` : ''
}

/** Says that nobody moves the clock. Empty if that is not so. */
function standstillOf(world: SinkWorld | undefined): string {
  const clock = world?.clock
  if (clock?.mode !== 'manual') return ''
  return `The clock is manual and stands at ${toIso(clock.now())}, with ${counted(clock.pending, 'task')} scheduled later: advance it.`
}
