import { matchesGlob } from '../../base/text/glob.js'
import { didYouMean } from '../../base/text/nearest.js'
import { verdicts } from '../signature/verify.js'
import { ReplayError, type RecordedDelivery } from './replay.js'

type FilterName = 'event' | 'verdict' | 'record' | 'delivery' | 'path' | 'after' | 'before'

/** What filters of one name look at. */
interface FilterKind {
  readonly example: string
  /** All values, if there is a fixed list. */
  readonly choices?: readonly string[]
  /** Whether a value can be used, if there is no list. Default: each can. */
  readonly accepts?: (value: string) => boolean
  readonly matches: (delivery: RecordedDelivery, value: string) => boolean
}

/** A day, or a time with its zone: without one, it would depend on the machine. */
const TIME = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/

const isTime = (value: string): boolean => TIME.test(value) && !Number.isNaN(Date.parse(value))

const FILTERS: Readonly<Record<FilterName, FilterKind>> = {
  event: {
    example: 'RUN_STATE',
    matches: ({ event }, value) => event !== undefined && matchesGlob(event, value),
  },
  verdict: {
    example: 'valid',
    choices: verdicts,
    matches: ({ verdict }, value) => verdict === value,
  },
  record: {
    example: '3-7',
    accepts: (value) => /^\d+(?:-\d+)?$/.test(value) && rangeIn(value).first <= rangeIn(value).last,
    matches({ id }, value) {
      const { first, last } = rangeIn(value)
      return Number(id) >= first && Number(id) <= last
    },
  },
  delivery: { example: '8a2f…', matches: ({ deliveryId }, value) => deliveryId === value },
  path: { example: '/hooks/*', matches: ({ path }, value) => matchesGlob(path, value) },
  after: {
    example: '2026-11-22T10:00:00Z',
    accepts: isTime,
    matches: ({ at }, value) => at !== undefined && at >= Date.parse(value),
  },
  before: {
    example: '2026-11-22T11:00:00Z',
    accepts: isTime,
    matches: ({ at }, value) => at !== undefined && at <= Date.parse(value),
  },
}

/** Reads `3`, or `3-7`. */
function rangeIn(value: string): { first: number; last: number } {
  const [first = NaN, last = first] = value.split('-').map(Number)
  return { first, last }
}

const NAMES = Object.keys(FILTERS) as readonly FilterName[]

/** Which deliveries to send: `{ name: 'event', value: 'RUN_*' }`. */
export interface DeliveryFilter {
  readonly name: FilterName
  readonly value: string
}

/**
 * Reads a filter such as `event=RUN_STATE`.
 *
 * @throws {ReplayError} When its name or its value cannot be used.
 * @example
 * const filter = readFilter('record=3-7')
 */
export function readFilter(text: string): DeliveryFilter {
  const [, written = text, value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? []
  const name = NAMES.find((each) => each === written)
  if (name === undefined) {
    throw new ReplayError(
      `--filter has no name "${written}".${didYouMean(written, NAMES)} There are: ${NAMES.join(', ')}. Write it as event=RUN_STATE.`,
    )
  }
  const { example, choices, accepts } = FILTERS[name]
  if (value === '') throw new ReplayError(`--filter ${name} takes a value: ${name}=${example}.`)
  if (!(choices?.includes(value) ?? accepts?.(value) ?? true)) {
    const expected = choices?.join(', ') ?? `${name}=${example}`
    const hint = choices ? didYouMean(value, choices) : ''
    throw new ReplayError(`--filter ${name} takes ${expected}, not "${value}".${hint}`)
  }
  return { name, value }
}

/** Whether a delivery matches: for each name that is used, one of its filters. */
export function matchesFilters(
  delivery: RecordedDelivery,
  filters: readonly DeliveryFilter[],
): boolean {
  return NAMES.every((name) => {
    const own = filters.filter((each) => each.name === name)
    return own.length === 0 || own.some(({ value }) => FILTERS[name].matches(delivery, value))
  })
}
