/** A query string as a record. Of a key given several times the last counts, as the framework has it. */
export function lastOfEach(query: string): Readonly<Record<string, string>> {
  if (query === '') return NONE
  const given: Record<string, string> = Object.create(null)
  for (const [key, value] of new URLSearchParams(query)) given[key] = value
  return given
}

/** The names that a query string has more than once. */
export function repeatedIn(query: string): string[] {
  const names = [...new URLSearchParams(query).keys()]
  return [...new Set(names.filter((name, index) => names.indexOf(name) !== index))]
}

const NONE: Readonly<Record<string, string>> = Object.freeze({})
