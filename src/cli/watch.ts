import { realpathSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { debounced } from '../clock/wall.js'

/** Editors write a file in several steps, some by way of another name; wait until they are done. */
const QUIET = 60

interface Watcher {
  changed: () => void
  /** The file cannot be watched, or no longer. */
  failed: (error: Error) => void
}

/** Calls `changed` whenever the file was written; keeps no process alive. Returns what stops it. */
export function watchFile(path: string, { changed, failed }: Watcher): () => void {
  const soon = debounced(QUIET, changed)
  try {
    // Behind a link it is the other file that changes.
    const real = realpathSync(path)
    // The folder, because replacing the file would leave us watching what it was.
    const watcher = watch(dirname(real), { persistent: false }, (_event, name) => {
      if (name === null || name === basename(real)) soon()
    })
    watcher.on('error', failed)
    return () => watcher.close()
  } catch (error) {
    failed(error as Error)
    return () => {}
  }
}
