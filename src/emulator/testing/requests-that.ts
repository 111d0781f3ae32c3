import type { RequestEntry } from '../../service/engine/journal.js'

/** Returns the id of the last request with an effect whose words end like this. Empty if the journal has none. */
export function requestsWith(requests: readonly RequestEntry[], words: string): number[] {
  const found = requests.findLast(({ effects }) => effects.some((effect) => effect.endsWith(words)))
  return found ? [found.id] : []
}
