import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { Copy } from './copy.js'
import {
  drawn,
  entryOf,
  find,
  keyOf,
  placedIn,
  readText,
  sourcesOf,
  type Entry,
  type Placed,
} from './sample.js'

/**
 * Writes the list. Entries that are still there stay. One that is gone gives its number to another mutant of
 * its file, or of all files if the file has none. Mutants of another list are not drawn, nor are those of old lines.
 */
export async function redraw(
  root: string,
  copy: Pick<Copy, 'write' | 'build' | 'accepted'>,
  list: string,
  {
    count,
    seed,
    not,
    old,
  }: {
    count: number
    seed: number
    not: readonly Entry[]
    old: ReadonlySet<string>
  },
): Promise<void> {
  copy.write([])
  await copy.build()
  const before = existsSync(list) ? (JSON.parse(readFileSync(list, 'utf8')) as Entry[]) : []
  const byFile = new Map(
    sourcesOf(root).map((file) => [file, placedIn(file, readText(root, file))]),
  )
  const kept = new Map<number, Entry>()
  for (const entry of before)
    if (find(entry, byFile.get(entry.file) ?? [])) kept.set(entry.id, entry)
  const taken = new Set([...kept.values(), ...not].map(keyOf))
  const free = (from: readonly Placed[]): Placed[] =>
    from.filter((each) => !taken.has(keyOf(each)) && !old.has(each.line))
  for (const entry of before.filter(({ id }) => !kept.has(id))) {
    const [other] = take(1, free(byFile.get(entry.file) ?? []), seed + entry.id)
    if (other === undefined) continue
    kept.set(entry.id, entryOf(entry.id, other))
    taken.add(keyOf(other))
  }
  const missing = Array.from({ length: count }, (_, index) => index + 1).filter(
    (id) => !kept.has(id),
  )
  const others = take(missing.length, free([...byFile.values()].flat()), seed)
  for (const [index, id] of missing.entries()) kept.set(id, entryOf(id, others[index]!))
  const entries = [...kept.values()].sort((a, b) => a.id - b.id)
  writeFileSync(list, `${JSON.stringify(entries, null, 2)}\n`)

  /** Draws mutants that the compiler accepts: one that it refuses never reaches a test. */
  function take(most: number, from: readonly Placed[], by: number): Placed[] {
    const draw = drawn(from, by)
    const accepted: Placed[] = []
    while (accepted.length < most) {
      const some = Array.from({ length: Math.max(10, most * 2) }, () => draw.next().value)
      const there = some.filter((each) => each !== undefined)
      if (there.length === 0) break
      accepted.push(...copy.accepted(there))
    }
    return accepted.slice(0, most)
  }
}
