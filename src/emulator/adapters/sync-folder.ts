import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Makes new names in a folder durable. Some systems can't, and then a loss of power may bring back the old ones. */
export function syncFolder(path: string): void {
  try {
    const folder = openSync(path, 'r')
    try {
      fsyncSync(folder)
    } finally {
      closeSync(folder)
    }
  } catch {
    // The file has its name, and every process sees it.
  }
}
