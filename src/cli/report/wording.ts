/** Milliseconds as people read them: 0ms, 1.5s, 10m 3s, 2h 5m. */
export function spell(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)}ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)}s`
  const seconds = Math.round(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m ${seconds % 60}s`
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`
}

/** A moment since the start: `+3.00s`. */
export function moment(ms: number): string {
  return `+${(ms / 1000).toFixed(2)}s`
}

/** A metric's value in few characters. */
export function figure(value: unknown): string {
  if (typeof value === 'number') {
    return Number.isFinite(value) ? String(Number(value.toPrecision(4))) : String(value)
  }
  return value === undefined ? 'missing' : JSON.stringify(value)
}
