import { newId, type PlatformContext } from './context.js'
import { checkLimit } from './limits.js'
import { checkPath } from './names.js'
import type { SavedOf } from './record.js'
import type { Run } from './run.js'
import { StoredFile, type FILE } from './stored-file.js'

/** A file of a run of a saved world. */
type RestoredFile = SavedOf<typeof FILE> & { readonly id: string }

/** The files of runs. */
export class RunFiles {
  readonly #context: PlatformContext
  /** The runs by the ids of their files. */
  readonly #owners = new Map<string, Run>()

  constructor(context: PlatformContext) {
    this.#context = context
  }

  /**
   * Finds or creates files of a run. Their contents come later.
   *
   * @throws {PlatformError} When a path is not allowed, or there are too many. Nothing is created.
   */
  open(run: Run, paths: readonly string[]): StoredFile[] {
    const added = new Set(paths.map(checkPath).filter((path) => !run.files.has(path)))
    checkLimit(this.#context.limits, 'runFiles', run.files.size + added.size)
    return paths.map((path) => run.files.get(path) ?? this.#create(run, path))
  }

  #create(run: Run, path: string): StoredFile {
    const id = newId(this.#context, 'RunFile', run.id, path)
    const file = this.#add(run, { id, path, updatedAt: this.#context.now() })
    this.#changed(run, file)
    return file
  }

  #add(run: Run, { id, path, updatedAt }: RestoredFile): StoredFile {
    const changed = (each: StoredFile): void => this.#changed(run, each)
    const file = new StoredFile({ id, path, owner: run, changed }, updatedAt)
    run.files.set(path, file)
    this.#context.files.set(id, file)
    this.#owners.set(id, run)
    return file
  }

  #changed(run: Run, file: StoredFile): void {
    this.#context.changed('runFile', file.id, { run, file })
  }

  /** Creates a file of a saved world. */
  restore(run: Run, saved: RestoredFile): void {
    this.#add(run, saved).restore(saved.digest, this.#context.blobs)
  }

  /** Deletes files. Unknown ids are ignored: another call may have deleted them. */
  delete(ids: readonly string[]): void {
    const { files, blobs, changed } = this.#context
    for (const id of ids) {
      const run = this.#owners.get(id)
      if (!run) continue
      const file = files.get(id)!
      file.release(blobs)
      run.files.delete(file.path)
      files.delete(id)
      this.#owners.delete(id)
      changed('runFile', id, undefined)
    }
  }
}
