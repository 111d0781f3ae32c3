import type { QueryReading } from './query-reading.js'
import { formatMoment } from './call.js'

/** Whether a value of an item is below, at or above a wanted one: below, at or above 0. NaN: they cannot be compared. */
export function difference(value: unknown, wanted: unknown): number {
  if (typeof value === 'number' && typeof wanted === 'number') return compare(value, wanted)
  if (typeof wanted !== 'string') return Number.NaN
  if (!(value instanceof Date))
    return typeof value === 'string' ? compare(value, wanted) : Number.NaN
  // Clients read whole seconds of a moment.
  const read = formatMoment(value.getTime())
  const moment = momentIn(wanted)
  return moment === undefined ? compare(read, wanted) : compare(Date.parse(read), moment)
}

export function compare<Value extends number | string>(one: Value, other: Value): number {
  if (one < other) return -1
  if (one > other) return 1
  return one === other ? 0 : Number.NaN
}

const MOMENT =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:Z|([+-]\d\d):?(\d\d))?)?$/

/** The moment that a client writes in ISO 8601: in UTC, unless it names another zone. Undefined: the text is none. */
function momentIn(text: string): number | undefined {
  const [, day, time = '00:00', hours, minutes] = MOMENT.exec(text) ?? []
  const zone = hours === undefined ? 'Z' : `${hours}:${minutes}`
  const moment = Date.parse(`${day}T${time}${zone}`)
  return Number.isNaN(moment) ? undefined : moment
}

/** A value as clients read it, as text. */
export function textOf(value: unknown, reading: QueryReading): string {
  if (value === undefined) return ''
  const shown = value instanceof Date ? formatMoment(value.getTime()) : value
  const text = typeof shown === 'string' ? shown : JSON.stringify(shown)
  reading.count(text.length)
  return text
}
