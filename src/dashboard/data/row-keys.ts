/** A key for each row. Of rows that are alike, each but the first has its number in the key. */
export function rowKeys<T>(rows: readonly T[], describe: (row: T) => string): string[] {
  const times = new Map<string, number>()
  return rows.map((row) => {
    const text = describe(row)
    const time = times.get(text) ?? 0
    times.set(text, time + 1)
    return time === 0 ? text : `${text} ${time}`
  })
}
