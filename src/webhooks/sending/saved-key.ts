/** The word that the key of a saved entry begins with, and what follows it. */
export function partsOfKey(key: string): { kind: string; rest: string } {
  const space = key.indexOf(' ')
  if (space === -1) return { kind: key, rest: '' }
  return { kind: key.slice(0, space), rest: key.slice(space + 1) }
}
