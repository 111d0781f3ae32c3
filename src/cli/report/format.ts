/** Formats milliseconds for people: 0ms, 1.5s, 10m 3s, 2h 5m. */
export function formatDuration(ms: number): string {
  const whole = Math.round(ms)
  if (whole < 1000) return `${whole}ms`
  const short = (ms / 1000).toFixed(1)
  if (Number(short) < 60) return `${short}s`
  const seconds = Math.round(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes}m` : `${minutes}m ${seconds % 60}s`
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`
}

/** Formats a time since the start: `+3.00s`. */
export function formatTime(ms: number): string {
  return `+${(ms / 1000).toFixed(2)}s`
}

/** Formats the value of a metric with four digits. */
export function formatMetric(value: unknown): string {
  if (typeof value === 'number') return String(Number(value.toPrecision(4)))
  return value === undefined ? 'missing' : JSON.stringify(value)
}
