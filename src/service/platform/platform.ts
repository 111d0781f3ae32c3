import type { SeededRandom } from '../../base/random/random.js'
import type { ContentReceiver, ReceivedContent } from '../contract/content.js'
import { Artifacts } from './artifacts.js'
import type { BlobFiles } from './blob-files.js'
import { Blobs } from './blobs.js'
import type { PlatformContext } from './context.js'
import { PLATFORM_LIMITS, TextMeter, type PlatformLimits } from './limits.js'
import { PlatformError, quoted } from './platform-error.js'
import type { ChangeListener } from './platform-change.js'
import { Projects } from './projects.js'
import { Runs } from './runs.js'
import type { RecordChange } from './savable.js'
import type { StoredFile } from './stored-file.js'
import { Upload } from './upload.js'

export interface PlatformSetup {
  /** The clock of the world, in milliseconds since the epoch. */
  readonly now: () => number
  readonly random: SeededRandom
  /** What the digest of an artifact begins with. */
  readonly digestPrefix: string
  readonly limits?: Partial<PlatformLimits> | undefined
  /** Where contents are, if not in memory. */
  readonly blobFiles?: BlobFiles | undefined
  /** Hears of each thing that must be saved. */
  readonly changed?: RecordChange | undefined
}

/** The runs and artifacts of one world. */
export class Platform {
  readonly limits: PlatformLimits
  readonly blobs: Blobs
  readonly projects: Projects
  readonly runs: Runs
  readonly artifacts: Artifacts
  readonly #context: PlatformContext
  readonly #listeners = new Set<ChangeListener>()

  constructor(options: PlatformSetup) {
    const { now, random, digestPrefix, limits, blobFiles, changed = () => {} } = options
    this.limits = { ...PLATFORM_LIMITS, ...limits }
    this.blobs = new Blobs({
      limits: this.limits,
      files: blobFiles,
      changed: (digest, size) => changed('content', digest, size),
    })
    const report: PlatformContext['report'] = (facts, { user, cause }) => {
      const change = { ...facts, at: now(), user, cause }
      for (const listener of this.#listeners) listener(change)
    }
    const { blobs } = this
    const texts = new TextMeter(this.limits)
    const files = new Map<string, StoredFile>()
    this.#context = { now, random, limits: this.limits, blobs, texts, files, report, changed }
    this.projects = new Projects(this.#context)
    this.runs = new Runs(this.#context, this.projects)
    this.artifacts = new Artifacts(this.#context, this.projects, digestPrefix)
  }

  /**
   * Calls a listener with each change, after it is done.
   *
   * @returns A function that ends it.
   */
  subscribe(listener: ChangeListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Ends a restore, when all records of a saved world are there. */
  endRestoring({ runs, artifacts }: { readonly runs: number; readonly artifacts: number }): void {
    this.runs.endRestoring(runs)
    this.artifacts.records.endRestoring(artifacts)
    this.blobs.endRestoring()
  }

  /** The file with an id: of a run, or of an artifact that is not committed. */
  file(id: string): StoredFile | undefined {
    return this.#context.files.get(id)
  }

  /**
   * Begins to receive the content of a file. Pass it to `upload` when it is there.
   *
   * @param announced How many bytes will come, if that is known.
   */
  receive(id: string, announced: number | undefined): ContentReceiver {
    const { blobs, limits } = this
    const check = (): void => this.#fileToUpload(id).checkOpen()
    return new Upload({ blobs, most: limits.uploadBytes, announced, check })
  }

  /**
   * Stores the content of a file.
   *
   * @throws {PlatformError} When there is no such file, or the content cannot be stored. Nothing changes.
   */
  upload(id: string, content: Uint8Array | ReceivedContent): StoredFile {
    const file = this.#fileToUpload(id)
    file.upload(content, this.blobs, this.#context.now())
    return file
  }

  #fileToUpload(id: string): StoredFile {
    const file = this.file(id)
    if (file) return file
    throw new PlatformError(
      'not-found',
      `No upload has the id ${quoted(id)}. It is over, or its artifact was committed or deleted.`,
    )
  }
}
