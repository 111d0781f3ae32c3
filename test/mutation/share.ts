import type { Entry } from './sample.js'

/** Gives each worker a part of the list. A folder of sources stays together: its tests run once for all of them. */
export function shared(entries: readonly Entry[], workers: number): Entry[][] {
  const shares = Array.from({ length: workers }, (): Entry[] => [])
  const byFolder = new Map<string, Entry[]>()
  for (const entry of entries) {
    const folder = entry.file.split('/', 2).join('/')
    byFolder.set(folder, [...(byFolder.get(folder) ?? []), entry])
  }
  for (const folder of [...byFolder.values()].sort((a, b) => b.length - a.length))
    shares.reduce((least, share) => (share.length < least.length ? share : least)).push(...folder)
  return shares.filter((share) => share.length > 0)
}
