import { realpathSync, statSync, watch, type FSWatcher } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { debounced } from '../../base/clock/wall.js'
import { background } from '../background.js'

/** Milliseconds without a change before the files are checked: editors write a file in several steps. */
const QUIET = 60

/** Folders that are watched. Each may be removed and come again. */
export class WatchedFolders {
  readonly #changed: () => void
  readonly #watchers = new Map<string, { watcher: FSWatcher; identity: string }>()
  #isClosed = false

  /** @param changed Called soon after changes, and when a folder is new: what happened before was not watched. */
  constructor(changed: () => Promise<void>) {
    const report = background.callback('check again', changed)
    this.#changed = debounced(QUIET, report)
  }

  /**
   * Watches these folders and those of the files, and no others. A watcher of a file does not see when another file
   * replaces it, or when it appears again.
   */
  follow(folders: readonly string[], files: readonly string[]): void {
    if (this.#isClosed) return
    const wanted = new Set(folders.map((folder) => existing(resolve(folder))))
    for (const path of files) {
      wanted.add(existing(dirname(path)))
      wanted.add(existing(dirname(realPathOf(path))))
    }
    for (const [folder, { watcher, identity }] of this.#watchers) {
      if (wanted.has(folder) && identityOf(folder) === identity) continue
      watcher.close()
      this.#watchers.delete(folder)
    }
    for (const folder of wanted) {
      if (this.#watchers.has(folder)) continue
      // Read first: if another folder takes its place now, the next check notices.
      const identity = identityOf(folder)
      const watcher = this.#watch(folder)
      if (watcher) this.#watchers.set(folder, { watcher, identity })
      this.#changed()
    }
  }

  close(): void {
    this.#isClosed = true
    for (const { watcher } of this.#watchers.values()) watcher.close()
    this.#watchers.clear()
  }

  /** Undefined if the folder was removed. The next call of `follow` watches the one above it. */
  #watch(folder: string): FSWatcher | undefined {
    try {
      return watch(folder, this.#changed).on('error', this.#changed)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
      return undefined
    }
  }
}

/** The folder, or the nearest one above it that exists. */
function existing(folder: string): string {
  let path = folder
  while (!statSync(path, { throwIfNoEntry: false })?.isDirectory() && dirname(path) !== path) {
    path = dirname(path)
  }
  return path
}

function realPathOf(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

/** Says whether a folder is still the same one. A new folder can get the number of a deleted one. */
function identityOf(folder: string): string {
  const { ino, birthtimeMs } = statSync(folder, { throwIfNoEntry: false }) ?? {}
  return `${ino} ${birthtimeMs}`
}
