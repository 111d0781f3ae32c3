import type { RecordChange, RequestEntry } from '../../service/engine/journal-entry.js'

/** Returns the id of the last request that did this to a run or an artifact. Empty if the journal has none. */
export function requestsThat(
  requests: readonly RequestEntry[],
  { type, of }: RecordChange,
): number[] {
  const found = requests.findLast(({ changes }) => {
    return changes.some((change) => change.type === type && change.of === of)
  })
  return found ? [found.id] : []
}
