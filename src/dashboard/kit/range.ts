/** The least and the greatest of any number of values. The arguments of a call are limited. */
export function rangeOf(values: readonly number[]): readonly [least: number, most: number] {
  const least = values.reduce((one, other) => Math.min(one, other), Infinity)
  const most = values.reduce((one, other) => Math.max(one, other), -Infinity)
  return [least, most]
}
