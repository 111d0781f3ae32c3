import { checkArgument, nonEmptyText, Options, wholeNumber } from '../base/text/options.js'
import type { Engine } from '../service/engine/engine.js'
import type { ArtifactCollection, Version } from '../service/platform/artifact.js'
import { LATEST } from '../service/platform/collection.js'
import { PlatformError } from '../service/platform/platform-error.js'
import { putArtifact } from '../service/platform/put-artifact.js'
import { LOCAL_ACCOUNT } from '../service/scenario/account.js'
import { NotFoundError } from '../webhooks/sending/webhooks.js'
import {
  artifactDetails,
  collectionDetails,
  listedArtifact,
  type ArtifactCollectionDetails,
  type ArtifactDetails,
  type ListedArtifact,
} from './artifact-details.js'
import { artifactToPut, DEFAULT_TYPE, type ArtifactToPut } from './artifact-to-put.js'
import { findNamed, notFound, readContents } from './find-named.js'
import { ArrangeError, DEFAULT_PROJECT, type ModelsParts } from './models.js'

/** Which artifacts are listed. Default: all. */
export interface ArtifactsWhere {
  /** The team or the user that owns them. */
  entity?: string | undefined
  /** The name of a project. */
  project?: string | undefined
  /** The name of a collection: what stands before the colon. */
  name?: string | undefined
  /** The type, such as `dataset` or `lora`. */
  type?: string | undefined
  /** The most; the newest. */
  limit?: number | undefined
}

export const artifactsWhere = new Options<ArtifactsWhere>('artifacts.list', {
  entity: nonEmptyText,
  project: nonEmptyText,
  name: nonEmptyText,
  type: nonEmptyText,
  limit: wholeNumber({ least: 1 }),
})

/** Reads the artifacts of clients, and puts artifacts where clients find them: `emulator.artifacts`. */
export class Artifacts {
  readonly #world: ModelsParts

  constructor(world: ModelsParts) {
    this.#world = world
  }

  /**
   * Returns versions of artifacts, the newest first. Checkpoints are among them, with the type `lora`.
   *
   * @param where Which artifacts. Default: all.
   * @throws {OptionsError} When a filter can't be used.
   * @example
   * const checkpoints = emulator.artifacts.list({ type: 'lora', name: 'poet' })
   */
  list(where: ArtifactsWhere = {}): ListedArtifact[] {
    artifactsWhere.check(where)
    const { engine } = this.#world
    const versions = collectionsWhere(engine, where).flatMap(({ members }) => [...members])
    // Of versions with the same time, the last one is the newest.
    const newest = versions.reverse().sort((one, other) => other.createdAt - one.createdAt)
    return newest.slice(0, where.limit).map((version) => listedArtifact(engine, version))
  }

  /**
   * Returns the names of artifacts with their versions and aliases, the newest first.
   *
   * @param where Which of them. Default: all.
   * @throws {OptionsError} When a filter can't be used.
   * @example
   * const [rows] = emulator.artifacts.collections({ name: 'rows' })
   * console.log(rows?.aliases)
   */
  collections(where: ArtifactsWhere = {}): ArtifactCollectionDetails[] {
    artifactsWhere.check(where, 'artifacts.collections')
    const found = collectionsWhere(this.#world.engine, where)
    return found.reverse().slice(0, where.limit).map(collectionDetails)
  }

  /**
   * Returns a version of an artifact with its metadata and its files.
   *
   * @param which `entity/project/name:alias`, or `name:alias`. The alias may be a version such as `v0`. Default: `latest`.
   * @throws {NotFoundError} When there is no such artifact. The message has the nearest one, or the aliases.
   * @throws {OptionsError} When `which` can't be used.
   * @example
   * const { version, metadata, files } = emulator.artifacts.get('local-team/demo/rows:best')
   */
  get(which: string): ArtifactDetails {
    const version = this.find(which, 'artifacts.get')
    return readContents(() => artifactDetails(this.#world.engine, version))
  }

  /**
   * Returns the content of one file of an artifact, or the contents of all of its files by path.
   *
   * @param which `entity/project/name:alias`, or `name:alias`.
   * @param path The path of a file. Default: all.
   * @throws {NotFoundError} When there is no such artifact or file, or the content of the file is elsewhere.
   * @throws {OptionsError} When an argument can't be used.
   * @example
   * const rows = await emulator.artifacts.download('rows:latest', 'train.jsonl')
   * const files = await emulator.artifacts.download('rows:latest')
   */
  download(which: string): Promise<Record<string, Uint8Array>>
  download(which: string, path: string): Promise<Uint8Array>
  async download(which: string, path?: string): Promise<Uint8Array | Record<string, Uint8Array>> {
    const version = this.find(which, 'artifacts.download')
    if (path !== undefined) {
      checkArgument('artifacts.download', { name: 'path', value: path, kind: nonEmptyText })
      return readContents(() => this.#read(version, path))
    }
    const { artifacts } = this.#world.engine.platformWithCheckpoints()
    return readContents(() => {
      const paths = [...artifacts.contents.of(version.artifact).keys()]
      return Object.fromEntries(paths.map((each) => [each, this.#read(version, each)]))
    })
  }

  #read(version: Version, path: string): Uint8Array {
    const { artifacts } = this.#world.engine.platformWithCheckpoints()
    const content = artifacts.contents.read(version.artifact, path)
    if (content) return content
    const known = artifacts.contents.of(version.artifact)
    const entry = known.get(path)
    if (entry === undefined)
      throw notFound(`the artifact ${version.path} has no file`, path, [...known.keys()])
    throw new NotFoundError(
      `Not found: the artifact ${version.path} only refers to ${entry.ref}, so it has no content of "${path}".`,
    )
  }

  /**
   * Puts an artifact into a project, as a program does that logs it: its next version. If the newest version has the
   * same files, it gets the aliases and tags, and there is no new one.
   *
   * @param artifact Its name, its files, and what is said about it.
   * @returns The version. Its `url` is what `training_data_url` takes.
   * @throws {ArrangeError} When a name or a path is not allowed, or there is no room.
   * @throws {OptionsError} When a value can't be used.
   * @example
   * const { url } = await emulator.artifacts.put({
   *   name: 'rows',
   *   files: { 'train.jsonl': '{"messages": [{"role": "user", "content": "Hi"}]}\n' },
   * })
   */
  async put(artifact: ArtifactToPut): Promise<ArtifactDetails> {
    artifactToPut.check(artifact)
    await this.#world.ready()
    const { engine } = this.#world
    const { name: collection, files, metadata = {}, ...facts } = artifact
    const { entity = LOCAL_ACCOUNT.entity, project = DEFAULT_PROJECT, type = DEFAULT_TYPE } = facts
    const bytes = Object.entries(files).map(([path, content]) => {
      // The bytes are copied, because the caller may change them.
      const stored = typeof content === 'string' ? encoder.encode(content) : content.slice()
      return [path, stored] as const
    })
    const place = { entity, project, collection, type }
    const put = { ...facts, files: Object.fromEntries(bytes), metadata: JSON.stringify(metadata) }
    try {
      const { version } = putArtifact(engine.platformWithCheckpoints(), place, put, {
        user: LOCAL_ACCOUNT.user,
      })
      return artifactDetails(engine, version!)
    } catch (error) {
      if (!(error instanceof PlatformError)) throw error
      const message = `Failed to put the artifact "${collection}": ${error.message}`
      throw new ArrangeError(message, { cause: error })
    }
  }

  /**
   * Finds a version of an artifact.
   *
   * @param of The function that was called, for errors.
   * @throws {NotFoundError} When there is no such artifact.
   * @internal
   */
  find(which: string, of: string): Version {
    checkArgument(of, { name: 'which', value: which, kind: nonEmptyText })
    const [written = '', ...aliases] = withoutScheme(which).split(':')
    const alias = aliases.length === 0 ? LATEST : aliases.join(':')
    const collection = this.collection(written)
    const version = collection.find(alias)
    if (version) return version
    throw notFound(`the artifact ${collection.path} has no version or alias`, alias, [
      ...[...collection.members].map(({ index }) => `v${index}`),
      ...collection.aliases.keys(),
    ])
  }

  /**
   * Finds the collection with a name.
   *
   * @throws {NotFoundError} When there is no such collection.
   * @internal
   */
  collection(which: string): ArtifactCollection {
    return findNamed(collectionsWhere(this.#world.engine, {}), which, 'artifact')
  }
}

const encoder = new TextEncoder()

/** Clients write `wandb-artifact:///entity/project/name:v0`, and leave the scheme out. */
function withoutScheme(which: string): string {
  return which.replace(/^[a-z][a-z0-9+.-]*:\/\/\/?/i, '')
}

/** The collections that have a version, in the order of their creation. */
function collectionsWhere(
  engine: Engine,
  { entity, project, name, type }: ArtifactsWhere,
): ArtifactCollection[] {
  const all = [...engine.platformWithCheckpoints().projects.all()].flatMap(({ collections }) => [
    ...collections.values(),
  ])
  const found = all.filter((each) => {
    return (
      each.size > 0 &&
      (entity === undefined || each.entity === entity) &&
      (project === undefined || each.project.name === project) &&
      (name === undefined || each.name === name) &&
      (type === undefined || each.type === type)
    )
  })
  return found.sort((one, other) => one.createdAt - other.createdAt)
}
