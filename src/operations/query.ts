/** A query string as a record. Of a key given several times the last counts, as the framework has it. */
export function lastOfEach(query: string): Readonly<Record<string, string>> {
  if (query === '') return NONE
  const given: Record<string, string> = Object.create(null)
  for (const [key, value] of new URLSearchParams(query)) given[key] = value
  return given
}

const NONE: Readonly<Record<string, string>> = Object.freeze({})
