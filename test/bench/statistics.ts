export function median(values: readonly number[]): number {
  return quantile(values, 0.5)
}

/** Half of the values are within this distance of the median. */
export function spread(values: readonly number[]): number {
  const middle = median(values)
  return median(values.map((value) => Math.abs(value - middle)))
}

export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))]!
}
