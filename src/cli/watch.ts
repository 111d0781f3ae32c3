import { watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { debounced } from '../world/wall.js'

/** Editors write a file in several steps, some by way of another name; wait until they are done. */
const QUIET = 60

/** Calls `changed` whenever the file was written. Returns what stops it. */
export function watchFile(path: string, changed: () => void): () => void {
  const soon = debounced(QUIET, changed)
  // The folder, because replacing the file would leave us watching what it was.
  const watcher = watch(dirname(path), (_event, name) => {
    if (name === null || name === basename(path)) soon()
  })
  return () => watcher.close()
}
