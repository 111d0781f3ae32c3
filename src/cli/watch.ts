import { realpathSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { debounced } from '../base/clock/wall.js'
import { failingWith } from '../base/text/background-errors.js'
import { background } from './background.js'

/** Milliseconds without a change before `changed` is called: editors write a file in several steps. */
const QUIET = 60

interface Watcher {
  changed: () => void
  /** Called when the file cannot be watched, or can no longer be watched. */
  failed: (error: Error) => void
}

/**
 * Calls `changed` after the file was written. A watched file does not keep the process alive.
 *
 * @returns A function that stops it.
 */
export function watchFile(path: string, { changed, failed }: Watcher): () => void {
  const soon = debounced(QUIET, failingWith(failed, changed))
  try {
    // For a symbolic link, watch the file that it points to.
    const real = realpathSync(path)
    // Watch the folder, because a watcher of the file does not see when another file replaces it.
    const file = basename(real)
    const watcher = watch(dirname(real), { persistent: false }, (_event, name) => {
      if (name === null || name === file) soon()
    })
    watcher.on('error', background.callback('say why a file is not watched', failed))
    return () => watcher.close()
  } catch (error) {
    failed(error as Error)
    return () => {}
  }
}
