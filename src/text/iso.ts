const DAY = 86_400_000
const TWO = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))
const THREE = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, '0'))

// The day that was told last: moments come in hundreds, nearly all of one day, and no world can tell.
let lastDay = Number.NaN
let date = ''

/**
 * Milliseconds since the epoch → `2026-01-01T00:00:00.000Z`, as `Date` has it and several times as
 * fast: a page of events tells a hundred. Raises `RangeError` for what is no moment.
 */
export function toIso(moment: number): string {
  const whole = Math.trunc(moment)
  const day = Math.floor(whole / DAY)
  if (day !== lastDay) {
    const midnight = new Date(day * DAY).toISOString()
    date = midnight.slice(0, midnight.indexOf('T') + 1)
    lastDay = day
  }
  const ofDay = whole - day * DAY
  const seconds = Math.floor(ofDay / 1000)
  const minutes = Math.floor(seconds / 60)
  const hours = Math.floor(minutes / 60)
  return `${date}${TWO[hours]!}:${TWO[minutes % 60]!}:${TWO[seconds % 60]!}.${THREE[ofDay % 1000]!}Z`
}
