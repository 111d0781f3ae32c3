import {
  Artifact,
  type ArtifactCollection,
  type ArtifactFacts,
  type ManifestRecord,
  type Version,
} from './artifact.js'
import { Collection } from './collection.js'
import { newId, type PlatformContext } from './context.js'
import { checkDigest, fromHex, toHex } from './digest.js'
import { checkLimit } from './limits.js'
import { manifestText, readManifest, type ManifestEntries } from './manifest.js'
import { md5 } from './md5.js'
import { checkAlias, checkJsonObject, checkName, checkPath } from './names.js'
import { PlatformError, quoted } from './platform-error.js'
import type { Author } from './platform-change.js'
import type { Project } from './project.js'
import type { Projects } from './projects.js'
import type { Run } from './run.js'
import { StoredFile } from './stored-file.js'

/** Where an artifact is created. */
export interface ArtifactPlace {
  readonly entity: string
  readonly project: string
  readonly collection: string
  readonly type: string
  /** The run that logs it. */
  readonly run?: Run | undefined
}

/** A change of an artifact. What is undefined stays. */
export interface ArtifactRevision {
  readonly description?: string | undefined
  /** A JSON object as text. */
  readonly metadata?: string | undefined
  /** All aliases that it has in its source, besides `latest`. */
  readonly aliases?: readonly string[] | undefined
  readonly tagsToAdd?: readonly string[] | undefined
  readonly tagsToDelete?: readonly string[] | undefined
}

/** A collection that an artifact is linked to. */
export interface LinkPlace {
  readonly entity: string
  readonly project: string
  readonly collection: string
  readonly aliases?: readonly string[] | undefined
}

/** The alias that moves to the newest version. */
export const LATEST = 'latest'

/** Programs name an artifact by the id of the client for a short time only. */
const MOST_CLIENT_IDS = 100_000

/** The artifacts of a world. */
export class Artifacts {
  readonly #context: PlatformContext
  readonly #projects: Projects
  /** What the digest of an artifact begins with. */
  readonly #digestPrefix: string
  /** By id. One that was committed with a known content has the id of that one, too. */
  readonly #byId = new Map<string, Artifact>()
  /** By the ids that clients gave them. */
  readonly #byClientId = new Map<string, Artifact>()
  readonly #collections = new Map<string, ArtifactCollection>()
  #created = 0
  #count = 0
  /** The entries of the manifest that was read last. */
  #lastRead: { artifact: Artifact; entries: ManifestEntries } | undefined

  constructor(context: PlatformContext, projects: Projects, digestPrefix: string) {
    this.#context = context
    this.#projects = projects
    this.#digestPrefix = digestPrefix
  }

  /** How many there are, those that are not committed included. */
  get count(): number {
    return this.#count
  }

  /** All artifacts, deleted ones included, in the order of their creation. */
  get all(): Iterable<Artifact> {
    return new Set(this.#byId.values())
  }

  withId(id: string): Artifact | undefined {
    return this.#byId.get(id)
  }

  withClientId(id: string): Artifact | undefined {
    return this.#byClientId.get(id)
  }

  collectionWithId(id: string): ArtifactCollection | undefined {
    return this.#collections.get(id)
  }

  /** @throws {PlatformError} When there is no such artifact. */
  get(id: string): Artifact {
    const artifact = this.#byId.get(id)
    if (artifact) return artifact
    throw new PlatformError('not-found', `There is no artifact with the id ${quoted(id)}.`)
  }

  /** The version that `name:alias` means in a project. Without an alias, the latest. */
  find(project: Project, reference: string): Version | undefined {
    const [name = '', alias = LATEST] = reference.split(':')
    return project.collections.get(name)?.find(alias)
  }

  /**
   * Creates an artifact, or finds the one that the client means: one with the same id of the client, or the newest
   * version if its content is the same. It is a version when it is committed.
   *
   * @throws {PlatformError} When something about it is not allowed. Nothing is created.
   */
  create(place: ArtifactPlace, facts: ArtifactFacts, author: Author): Artifact {
    this.#checkFacts(facts)
    const repeated = this.#repeated(facts)
    if (repeated) return repeated
    this.#checkPlace(place)
    const source = this.#openCollection(place, 'source', author)
    const newest = source.newest?.artifact
    if (newest?.digest === facts.digest) {
      this.#checkAliases(newest.version, facts.aliases ?? [])
      this.#rememberClientId(facts.clientId, newest)
      this.#addAliases(newest.version!, facts.aliases ?? [], author)
      this.#addTags(newest, facts.tags ?? [], author)
      return newest
    }
    const { run } = place
    const id = newId(this.#context, 'Artifact', source.id, this.#created++)
    const at = facts.createdAt ?? this.#context.now()
    const artifact = new Artifact({ id, source, facts, user: author.user, run, at })
    this.#byId.set(id, artifact)
    this.#count++
    this.#context.texts.add(artifact.characters)
    this.#rememberClientId(facts.clientId, artifact)
    this.#context.report({ type: 'artifact_created', artifact }, author)
    return artifact
  }

  /** The artifact that another call created for the same upload. */
  #repeated({ clientId, distributedId }: ArtifactFacts): Artifact | undefined {
    const known = clientId === undefined ? undefined : this.#byClientId.get(clientId)
    if (known && known.state !== 'DELETED') return known
    if (distributedId === undefined || distributedId === '') return undefined
    for (const each of this.#byId.values()) {
      if (each.distributedId === distributedId && each.state === 'PENDING') return each
    }
    return undefined
  }

  #rememberClientId(id: string | undefined, artifact: Artifact): void {
    if (id === undefined || id === '') return
    this.#byClientId.set(id, artifact)
    const [oldest] = this.#byClientId.keys()
    if (this.#byClientId.size > MOST_CLIENT_IDS) this.#byClientId.delete(oldest!)
  }

  #checkFacts({
    digest,
    description = '',
    metadata,
    aliases = [],
    tags = [],
  }: ArtifactFacts): void {
    if (digest === '' || digest.length > 128) {
      throw new PlatformError(
        'invalid',
        `The digest of the artifact is ${quoted(digest)}; expected the MD5 of its manifest in hexadecimal digits.`,
      )
    }
    if (metadata !== undefined) checkJsonObject('metadata', metadata)
    for (const alias of aliases) checkAlias(alias)
    for (const tag of tags) checkName('tag', tag)
    checkLimit(this.#context.limits, 'aliases', aliases.length)
    checkLimit(this.#context.limits, 'aliases', tags.length)
    this.#context.texts.check(description.length + (metadata?.length ?? 0))
  }

  #checkPlace({ entity, project: projectName, collection: name, type }: ArtifactPlace): void {
    this.#projects.check(entity, projectName)
    checkName('collection', name)
    this.#projects.checkType(this.#projects.named(entity, projectName), type)
    checkLimit(this.#context.limits, 'artifacts', this.#count + 1)
    const collection = this.#projects.collectionNamed(entity, projectName, name)
    if (!collection) return
    if (collection.type !== type) {
      throw new PlatformError(
        'conflict',
        `The artifact ${quoted(name)} has the type ${quoted(collection.type)}, so no version of it can have the type ${quoted(type)}. Choose another name or the same type.`,
      )
    }
    if (collection.kind === 'linked') {
      throw new PlatformError(
        'conflict',
        `The collection ${quoted(name)} has links to artifacts of other collections. Log the artifact under another name, and link it.`,
      )
    }
  }

  #openCollection(
    place: Pick<ArtifactPlace, 'entity' | 'project' | 'collection' | 'type'>,
    kind: ArtifactCollection['kind'],
    author: Author,
  ): ArtifactCollection {
    const { entity, project: projectName, collection: name, type } = place
    const project = this.#projects.open(entity, projectName, author)
    const known = project.collections.get(name)
    if (known) return known
    const id = newId(this.#context, 'ArtifactCollection', entity, projectName, name)
    const at = this.#context.now()
    const collection = new Collection<Artifact>({ id, name, type, project, kind, at })
    project.collections.set(name, collection)
    this.#projects.addType(project, type)
    this.#collections.set(id, collection)
    return collection
  }

  /**
   * Creates the manifest of an artifact. Its content comes later.
   *
   * @param digest The MD5 of its content in base64. Empty: not known yet.
   * @throws {PlatformError} When the artifact cannot change any more.
   */
  addManifest(
    artifact: Artifact,
    { type = 'FULL', base, digest, path }: ManifestFacts,
  ): ManifestRecord {
    this.#checkPending(artifact)
    const expected = digest === '' ? undefined : checkDigest(digest)
    const { files, now } = this.#context
    const id = newId(this.#context, 'ArtifactManifest', artifact.id, artifact.manifests.length)
    const file = new StoredFile({ id, path: checkPath(path), owner: artifact, expected }, now())
    const manifest = { id, type, base, file }
    artifact.manifests.push(manifest)
    files.set(id, file)
    return manifest
  }

  /** The manifest with an id, and its artifact. */
  manifestWithId(id: string): ManifestRecord | undefined {
    for (const artifact of this.#byId.values()) {
      const found = artifact.manifests.find((each) => each.id === id)
      if (found) return found
    }
    return undefined
  }

  /**
   * Creates files of an artifact. A content that the entity has already is not sent again.
   *
   * @throws {PlatformError} When one of them is not allowed. Nothing is created.
   */
  addFiles(files: readonly NewFile[]): StoredFile[] {
    const added = new Map<Artifact, number>()
    for (const { artifact, path, digest } of files) {
      this.#checkPending(artifact)
      checkPath(path)
      checkDigest(digest)
      if (!artifact.uploads.has(path)) added.set(artifact, (added.get(artifact) ?? 0) + 1)
    }
    for (const [{ uploads }, count] of added) {
      checkLimit(this.#context.limits, 'artifactFiles', uploads.size + count)
    }
    return files.map((file) => this.#addFile(file))
  }

  #addFile({ artifact, path, digest }: NewFile): StoredFile {
    const { files, blobs, now } = this.#context
    const id = newId(this.#context, 'ArtifactFile', artifact.id, path)
    const known = artifact.uploads.get(path)
    const file = known ?? new StoredFile({ id, path, owner: artifact, expected: digest }, now())
    file.expected = digest
    if (file.digest !== digest) file.release(blobs)
    if (file.digest === undefined && blobs.has(artifact.entity, digest)) file.reuse(digest, blobs)
    artifact.uploads.set(path, file)
    files.set(id, file)
    return file
  }

  /**
   * Makes an artifact a version of its collection: all of its files are there, and can no longer change. If its
   * content is that of the newest version, there is no new version, and the artifact is the newest one.
   *
   * @throws {PlatformError} When its manifest or a file is missing, or its digest is wrong. Nothing changes.
   */
  commit(artifact: Artifact, author: Author): Artifact {
    if (artifact.state === 'COMMITTED') return artifact
    this.#checkPending(artifact)
    const manifest = artifact.manifests.at(-1)
    const entries = this.#entriesAtCommit(artifact, manifest)
    this.#checkDigest(artifact, manifest!, entries)
    const newest = artifact.source.newest?.artifact
    if (newest?.digest === artifact.digest) return this.#mergeInto(newest, artifact, author)
    this.#retain(artifact, manifest!, entries)
    const { source } = artifact
    const at = this.#context.now()
    const id = newId(this.#context, 'ArtifactCollectionMembership', source.id, source.nextIndex)
    artifact.memberships.push(source.add(artifact, id, at))
    artifact.state = 'COMMITTED'
    artifact.updatedAt = at
    this.#context.report({ type: 'artifact_committed', artifact }, author)
    this.#addAliases(artifact.version!, [LATEST, ...artifact.plannedAliases], author)
    return artifact
  }

  /** The entries of the manifest, all of whose contents are there. */
  #entriesAtCommit(artifact: Artifact, manifest: ManifestRecord | undefined): ManifestEntries {
    const { blobs, limits } = this.#context
    const bytes = manifest?.file.read(blobs)
    if (!manifest || !bytes) {
      throw new PlatformError(
        'conflict',
        `The artifact ${quoted(artifact.source.name)} has no manifest yet. Upload the manifest before the commit.`,
      )
    }
    const entries = new Map([...this.#entriesBefore(artifact, manifest), ...readManifest(bytes)])
    checkLimit(limits, 'artifactFiles', entries.size)
    const missing = [...entries].filter(([, { digest, ref }]) => {
      return ref === undefined && !blobs.has(artifact.entity, digest)
    })
    const [first] = missing
    if (!first) return entries
    const [path, { digest }] = first
    throw new PlatformError(
      'conflict',
      `The artifact ${quoted(artifact.source.name)} lacks the content of ${missing.length} of its ${entries.size} files: ${quoted(path)} with the MD5 ${digest} was not uploaded. Upload it before the commit.`,
    )
  }

  /** What a manifest adds its files to: those of another artifact, and those of other writers. */
  #entriesBefore(artifact: Artifact, manifest: ManifestRecord): ManifestEntries {
    if (manifest.type === 'FULL') return new Map()
    const { blobs } = this.#context
    const others = artifact.manifests.filter(({ type }) => type !== 'FULL')
    const written = others.flatMap(({ base, file }) => {
      const bytes = file.read(blobs)
      return [...(base ? this.contentsOf(base) : []), ...(bytes ? readManifest(bytes) : [])]
    })
    return new Map(written)
  }

  /** The digest of an artifact with these files, in hexadecimal digits. */
  digestOf(entries: ManifestEntries): string {
    return toHex(md5(new TextEncoder().encode(manifestText(this.#digestPrefix, entries))))
  }

  #checkDigest(artifact: Artifact, { type }: ManifestRecord, entries: ManifestEntries): void {
    if (type !== 'FULL') return
    const digest = this.digestOf(entries)
    if (digest === artifact.digest) return
    throw new PlatformError(
      'invalid',
      `The digest of the artifact ${quoted(artifact.source.name)} is ${artifact.digest}; the files in its manifest have the digest ${digest}.`,
    )
  }

  /** Uses the contents of a committed artifact, in place of those of its uploads. */
  #retain(artifact: Artifact, { file, type }: ManifestRecord, entries: ManifestEntries): void {
    const { blobs } = this.#context
    const { entity } = artifact
    for (const { digest, ref } of entries.values()) {
      if (ref === undefined) blobs.retain(entity, digest)
    }
    artifact.manifestDigest =
      type === 'FULL' ? file.digest! : blobs.put(entity, mergedManifest(file.read(blobs)!, entries))
    if (type === 'FULL') blobs.retain(entity, file.digest!)
    artifact.fileCount = entries.size
    artifact.size = [...entries.values()].reduce((sum, { size }) => sum + size, 0)
    this.#forgetUploads(artifact)
  }

  #forgetUploads(artifact: Artifact): void {
    const { blobs, files } = this.#context
    for (const file of [
      ...artifact.uploads.values(),
      ...artifact.manifests.map((each) => each.file),
    ]) {
      file.release(blobs)
      files.delete(file.id)
    }
    artifact.uploads.clear()
    artifact.manifests.length = 0
  }

  #mergeInto(newest: Artifact, artifact: Artifact, author: Author): Artifact {
    this.#forgetUploads(artifact)
    artifact.state = 'DELETED'
    this.#forget(artifact)
    this.#byId.set(artifact.id, newest)
    this.#rememberClientId(artifact.clientId, newest)
    this.#addAliases(newest.version!, [...artifact.plannedAliases], author)
    this.#addTags(newest, [...artifact.tags], author)
    return newest
  }

  /** Counts an artifact no longer. */
  #forget(artifact: Artifact): void {
    this.#count--
    this.#context.texts.add(-artifact.characters)
  }

  /** The files of a committed artifact. Empty for any other. */
  contentsOf(artifact: Artifact): ManifestEntries {
    if (this.#lastRead?.artifact === artifact) return this.#lastRead.entries
    const bytes = this.manifestOf(artifact)
    const entries = bytes ? readManifest(bytes) : new Map<string, never>()
    if (bytes) this.#lastRead = { artifact, entries }
    return entries
  }

  /** The bytes of the manifest of a committed artifact. */
  manifestOf({ entity, manifestDigest }: Artifact): Uint8Array | undefined {
    return manifestDigest === undefined
      ? undefined
      : this.#context.blobs.read(entity, manifestDigest)
  }

  /** The content with an MD5 in hexadecimal digits, of a file of a committed artifact or of its manifest. */
  contentWithDigest(artifact: Artifact, hexDigest: string): Uint8Array | undefined {
    const digest = /^[0-9a-f]{32}$/.test(hexDigest) ? fromHex(hexDigest) : ''
    if (digest === artifact.manifestDigest) return this.manifestOf(artifact)
    const digests = [...this.contentsOf(artifact).values()].map((entry) => entry.digest)
    return digests.includes(digest) ? this.#context.blobs.read(artifact.entity, digest) : undefined
  }

  /** The content of a file of a committed artifact. */
  readFile(artifact: Artifact, path: string): Uint8Array | undefined {
    const entry = this.contentsOf(artifact).get(path)
    return entry && this.#context.blobs.read(artifact.entity, entry.digest)
  }

  /**
   * Changes what is said about an artifact.
   *
   * @throws {PlatformError} When a value is not allowed. Nothing changes.
   */
  revise(artifact: Artifact, revision: ArtifactRevision, author: Author): void {
    const { description, metadata, aliases, tagsToAdd = [], tagsToDelete = [] } = revision
    if (artifact.state === 'DELETED') throw deleted(artifact)
    if (metadata !== undefined) checkJsonObject('metadata', metadata)
    for (const alias of aliases ?? []) checkAlias(alias)
    for (const tag of tagsToAdd) checkName('tag', tag)
    checkLimit(this.#context.limits, 'aliases', artifact.tags.size + tagsToAdd.length)
    if (aliases) this.#checkAliases(artifact.version, aliases)
    const { characters } = artifact
    this.#context.texts.check((description?.length ?? 0) + (metadata?.length ?? 0) - characters)
    if (description !== undefined) artifact.description = description
    if (metadata !== undefined) artifact.metadata = metadata
    this.#context.texts.add(artifact.characters - characters)
    if (aliases) this.#replaceAliases(artifact, aliases, author)
    for (const tag of tagsToDelete) artifact.tags.delete(tag)
    this.#addTags(artifact, tagsToAdd, author)
    artifact.updatedAt = this.#context.now()
  }

  #replaceAliases(artifact: Artifact, aliases: readonly string[], author: Author): void {
    const { version } = artifact
    if (!version) {
      artifact.plannedAliases.clear()
      for (const alias of aliases) artifact.plannedAliases.add(alias)
      return
    }
    for (const alias of version.aliases) {
      if (alias !== LATEST && !aliases.includes(alias))
        version.collection.removeAlias(alias, version)
    }
    const added = aliases.filter((alias) => !version.aliases.has(alias))
    this.#addAliases(
      version,
      added.filter((alias) => alias !== LATEST),
      author,
    )
  }

  #checkAliases(version: Version | undefined, added: readonly string[]): void {
    checkLimit(
      this.#context.limits,
      'aliases',
      new Set([...(version?.aliases ?? []), ...added]).size,
    )
  }

  /**
   * Gives a version aliases. Another version that has one of them loses it.
   *
   * @throws {PlatformError} When an alias is not allowed. Nothing changes.
   */
  addAliases(version: Version, aliases: readonly string[], author: Author): void {
    for (const alias of aliases) checkAlias(alias)
    this.#checkAliases(version, aliases)
    this.#addAliases(version, aliases, author)
  }

  #addAliases(version: Version, aliases: readonly string[], author: Author): void {
    for (const alias of aliases) {
      if (version.aliases.has(alias)) continue
      const movedFrom = version.collection.setAlias(alias, version)
      this.#context.report({ type: 'alias_added', membership: version, alias, movedFrom }, author)
    }
  }

  #addTags(artifact: Artifact, tags: readonly string[], author: Author): void {
    for (const tag of tags) {
      if (artifact.tags.has(tag)) continue
      artifact.tags.add(tag)
      this.#context.report({ type: 'tag_added', artifact, tag }, author)
    }
  }

  /** Notes that a run used an artifact. */
  use(artifact: Artifact, run: Run): void {
    artifact.usedBy.add(run)
  }

  /**
   * Makes an artifact a version of another collection, such as one of a registry. The collection is created if there
   * is none.
   *
   * @throws {PlatformError} When the artifact is not committed, or the collection cannot have it. Nothing changes.
   */
  link(artifact: Artifact, place: LinkPlace, author: Author): Version {
    const { entity, project: projectName, collection: name, aliases = [] } = place
    this.#checkLink(artifact, place)
    const { type } = artifact.source
    const collection = this.#openCollection(
      { entity, project: projectName, collection: name, type },
      'linked',
      author,
    )
    const known = artifact.memberships.find((each) => each.collection === collection)
    const version = known ?? this.#addLink(artifact, collection, author)
    this.#addAliases(version, known ? aliases : [LATEST, ...aliases], author)
    return version
  }

  #addLink(artifact: Artifact, collection: ArtifactCollection, author: Author): Version {
    const id = newId(
      this.#context,
      'ArtifactCollectionMembership',
      collection.id,
      collection.nextIndex,
    )
    const membership = collection.add(artifact, id, this.#context.now())
    artifact.memberships.push(membership)
    this.#context.report({ type: 'artifact_linked', membership }, author)
    return membership
  }

  #checkLink(
    artifact: Artifact,
    { entity, project, collection: name, aliases = [] }: LinkPlace,
  ): void {
    if (artifact.state !== 'COMMITTED') {
      throw new PlatformError(
        'conflict',
        `The artifact ${quoted(artifact.source.name)} is ${artifact.state}, so it cannot be linked. Commit it before that.`,
      )
    }
    this.#projects.check(entity, project)
    checkName('collection', name)
    for (const alias of aliases) checkAlias(alias)
    checkLimit(this.#context.limits, 'aliases', aliases.length + 1)
    const collection = this.#projects.collectionNamed(entity, project, name)
    if (!collection) return
    if (collection.kind === 'source') {
      throw new PlatformError(
        'conflict',
        `The collection ${quoted(name)} has artifacts of its own, so nothing can be linked to it. Choose another name.`,
      )
    }
    if (collection.type !== artifact.source.type) {
      throw new PlatformError(
        'conflict',
        `The collection ${quoted(name)} has artifacts of the type ${quoted(collection.type)}; the artifact has the type ${quoted(artifact.source.type)}.`,
      )
    }
  }

  /** Removes an artifact from a collection that it is linked to. */
  unlink(artifact: Artifact, collection: ArtifactCollection, author: Author): void {
    const membership = artifact.memberships.find((each) => each.collection === collection)
    if (!membership || collection.kind === 'source') {
      throw new PlatformError(
        'not-found',
        `The artifact ${quoted(artifact.source.name)} is not linked to the collection ${quoted(collection.name)}.`,
      )
    }
    this.#leave(artifact, membership, author)
  }

  /** Removes a version from its collection. `latest` moves to the newest one that is left. */
  #leave(artifact: Artifact, membership: Version, author: Author): void {
    const { collection } = membership
    const wasLatest = membership.aliases.has(LATEST)
    collection.remove(membership)
    artifact.memberships.splice(artifact.memberships.indexOf(membership), 1)
    if (wasLatest && collection.newest) this.#addAliases(collection.newest, [LATEST], author)
  }

  /**
   * Deletes an artifact with its files, and its links.
   *
   * @param withAliases Whether it may have aliases besides `latest`.
   * @throws {PlatformError} When it has some, and may have none. Nothing changes.
   */
  delete(
    artifact: Artifact,
    { withAliases = false }: { withAliases?: boolean | undefined },
    author: Author,
  ): void {
    if (artifact.state === 'DELETED') return
    const aliases = artifact.memberships.flatMap((each) => [...each.aliases])
    const others = aliases.filter((alias) => alias !== LATEST)
    if (others.length > 0 && !withAliases) {
      throw new PlatformError(
        'conflict',
        `The artifact ${quoted(artifact.source.name)} has the aliases ${others.slice(0, 10).join(', ')}. Delete it with its aliases, or remove them before.`,
      )
    }
    const { blobs } = this.#context
    for (const { digest, ref } of this.contentsOf(artifact).values()) {
      if (ref === undefined) blobs.release(artifact.entity, digest)
    }
    if (artifact.manifestDigest !== undefined)
      blobs.release(artifact.entity, artifact.manifestDigest)
    artifact.manifestDigest = undefined
    this.#lastRead = undefined
    this.#forgetUploads(artifact)
    for (const membership of artifact.memberships.slice()) this.#leave(artifact, membership, author)
    artifact.state = 'DELETED'
    this.#forget(artifact)
    this.#context.report({ type: 'artifact_deleted', artifact }, author)
  }

  /**
   * Gives a collection another name.
   *
   * @throws {PlatformError} When the name is not allowed, or another collection of the project has it.
   */
  rename(collection: ArtifactCollection, name: string): void {
    if (name === collection.name) return
    checkName('collection', name)
    const { project } = collection
    const collections = this.#projects.get(project.entity, project.name).collections
    if (collections.has(name)) {
      throw new PlatformError('conflict', `The project has a collection ${quoted(name)} already.`)
    }
    collections.delete(collection.name)
    collection.name = name
    collections.set(name, collection)
  }

  /**
   * Gives a collection another type, which its artifacts then have.
   *
   * @throws {PlatformError} When the type is not allowed.
   */
  retype(collection: ArtifactCollection, type: string): void {
    const { project } = collection
    this.#projects.addType(this.#projects.get(project.entity, project.name), type)
    collection.type = type
  }

  /**
   * Adds tags to a collection.
   *
   * @throws {PlatformError} When a tag is not allowed. Nothing changes.
   */
  tagCollection(collection: ArtifactCollection, tags: readonly string[]): void {
    for (const tag of tags) checkName('tag', tag)
    checkLimit(this.#context.limits, 'aliases', collection.tags.size + tags.length)
    for (const tag of tags) collection.tags.add(tag)
  }

  /** Deletes a collection with all of its versions. Artifacts that are only linked to it stay. */
  deleteCollection(collection: ArtifactCollection, author: Author): void {
    const members = [...collection.members]
    for (const { artifact } of members) {
      if (collection.kind === 'source') this.delete(artifact, { withAliases: true }, author)
      else this.unlink(artifact, collection, author)
    }
    const { project, name } = collection
    this.#projects.named(project.entity, project.name)?.collections.delete(name)
    this.#collections.delete(collection.id)
  }

  #checkPending(artifact: Artifact): void {
    if (artifact.state === 'DELETED') throw deleted(artifact)
    if (artifact.state === 'PENDING') return
    throw new PlatformError(
      'conflict',
      `The artifact ${quoted(artifact.source.name)} is committed, so its files cannot change. Create a new version.`,
    )
  }
}

/** What a new manifest is. */
export interface ManifestFacts {
  readonly type?: ManifestRecord['type'] | undefined
  readonly base?: Artifact | undefined
  readonly digest: string
  readonly path: string
}

/** A file that a client is about to upload. */
export interface NewFile {
  readonly artifact: Artifact
  readonly path: string
  /** The MD5 of its content, in base64. */
  readonly digest: string
}

function deleted(artifact: Artifact): PlatformError {
  return new PlatformError('conflict', `The artifact ${quoted(artifact.source.name)} is deleted.`)
}

/** The manifest of all files, from that of the files that were added. */
function mergedManifest(added: Uint8Array, entries: ManifestEntries): Uint8Array {
  const manifest = JSON.parse(new TextDecoder().decode(added)) as object
  const text = JSON.stringify({ ...manifest, contents: Object.fromEntries(entries) })
  return new TextEncoder().encode(text)
}
