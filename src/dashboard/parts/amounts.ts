const WHOLE = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

/** A number as a person reads it: `0.8959`, `1,234`, `5e-6`. Any other value is as in JSON, a text as it is. */
export function figure(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value !== 'number') return value === undefined ? '' : JSON.stringify(value)
  const size = Math.abs(value)
  // What rounds to 1,000 is written as 1,000 is.
  if (Number.isInteger(value) || (size >= 999.95 && size < 1e6)) return WHOLE.format(value)
  if (size < 0.001 || size >= 1e6) return value.toExponential(2).replace(/\.?0+e/, 'e')
  return String(Number(value.toPrecision(4)))
}

/** `1 job`, `1,234 jobs` */
export function counted(count: number, thing: string, things = `${thing}s`): string {
  return `${WHOLE.format(count)} ${count === 1 ? thing : things}`
}

const SIZES = ['B', 'kB', 'MB', 'GB']

/** A number of bytes as a person reads it: `850 B`, `1.2 kB`, `3.4 MB`. */
export function bytesText(bytes: number): string {
  // What rounds to 1,000 of a unit is 1 of the next one.
  const power = SIZES.findIndex((_, at) => bytes < 999.5 * 1000 ** at)
  const at = power === -1 ? SIZES.length - 1 : power
  return `${Number((bytes / 1000 ** at).toPrecision(3))} ${SIZES[at]}`
}

/** How long something took: `0.8 ms`, `850 ms`, `12.5 s`, `3 m 20 s`, `2 h 5 m`. It is rounded first. */
export function lasting(time: number | null): string {
  if (time === null) return ''
  if (time < 9.95) return `${time.toFixed(1)} ms`
  if (time < 999.5) return `${Math.round(time)} ms`
  const tenths = Math.round(time / 100)
  if (tenths < 600) return `${tenths / 10} s`
  const seconds = Math.round(time / 1000)
  if (seconds < 3600) return `${Math.floor(seconds / 60)} m ${seconds % 60} s`
  const minutes = Math.round(time / 60_000)
  return `${WHOLE.format(Math.floor(minutes / 60))} h ${minutes % 60} m`
}
