import { fromBase64, joinBytes } from '../../../base/text/bytes.js'
import { sizeOf, type Pieces } from '../../../base/clock/slices.js'
import type { LastRecords, Of } from '../saved/last-records.js'
import { partKeys } from './saved-contents.js'

/** Joins the contents that have all of their parts. Returns them by their MD5. */
export function* joinedContents(among: LastRecords): Pieces<ReadonlyMap<string, Uint8Array>> {
  const joined = new Map<string, Uint8Array>()
  for (const { record } of among.of('content')) {
    const bytes = yield* joinedParts(among, record)
    if (bytes) joined.set(record.key, bytes)
  }
  return joined
}

/** Joins the parts of a content. Undefined if they are not all of it. */
function* joinedParts(
  among: LastRecords,
  { key: digest, size }: Of<'content'>,
): Pieces<Uint8Array | undefined> {
  const parts: Uint8Array[] = []
  for (const key of partKeys(digest, size!)) {
    const saved = among.get('content_part', key)
    const part = saved && fromBase64(saved.bytes!)
    if (!part) return undefined
    parts.push(part)
    yield sizeOf(part.length)
  }
  const bytes = joinBytes(parts)
  return bytes.length === size ? bytes : undefined
}
