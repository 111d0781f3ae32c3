/**
 * JSON as Python writes it, where numbers are not finite: `NaN`, `Infinity`, `-Infinity`, which no
 * JSON is, and which a service in that language sends all the same unless it is told not to. (Its
 * framework would answer 500 instead; a scenario asks for them by name.)
 */
export function looseJson(value: unknown): string {
  if (typeof value === 'number') return String(value)
  if (Array.isArray(value)) return `[${value.map(looseJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return `{${fields.map(([name, field]) => `${JSON.stringify(name)}:${looseJson(field)}`).join(',')}}`
}

/** Whether a record holds a number that JSON has no word for. */
export function holdsLooseNumber(record: Readonly<Record<string, unknown>>): boolean {
  for (const name in record) {
    const value = record[name]
    if (typeof value === 'number' && !Number.isFinite(value)) return true
  }
  return false
}

/** Whether a text is JSON, and nothing else. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
