import { Artifact, type ArtifactCollection, type ArtifactFacts } from './artifact.js'
import type { ArtifactParts } from './artifact-parts.js'
import { LATEST } from './collection.js'
import type { CollectionPlace } from './collections.js'
import { newId } from './context.js'
import { checkLabels, checkLimit } from './limits.js'
import { checkAlias, checkJsonObject, checkName } from './names.js'
import { PlatformError, quoted } from './platform-error.js'
import type { Author } from './platform-change.js'
import type { Run } from './run.js'

/** Where an artifact is created. */
export interface ArtifactPlace extends CollectionPlace {
  /** The run that logs it. */
  readonly run?: Run | undefined
}

/** Creates artifacts, or finds the one that a client means. */
export class ArtifactCreation {
  readonly #parts: ArtifactParts
  /** How many artifacts were ever created. */
  created = 0

  constructor(parts: ArtifactParts) {
    this.#parts = parts
  }

  /**
   * Creates an artifact, or finds the one that the client means: one with the same id of the client, or the newest
   * version if its content is the same. It is a version when it is committed.
   *
   * @throws {PlatformError} When something about it is not allowed. Nothing is created.
   */
  create(place: ArtifactPlace, facts: ArtifactFacts, author: Author): Artifact {
    this.#checkFacts(facts)
    const repeated = this.#repeated(place, facts)
    if (repeated) return repeated
    const newest = this.#checkPlace(place)?.newest?.artifact
    const { run } = place
    if (newest?.digest === facts.digest) return this.#addTo(newest, { run, facts, author })
    this.#checkRoom(facts)
    const { context, index, collections } = this.#parts
    const source = collections.open(place, 'source', author)
    const ordinal = this.created++
    const id = facts.id ?? newId(context, 'Artifact', source.id, ordinal)
    const at = facts.createdAt ?? context.now()
    const artifact = new Artifact(id, {
      ...facts,
      source,
      plannedAliases: facts.aliases,
      user: author.user,
      loggedBy: run,
      createdAt: at,
      updatedAt: at,
    })
    index.add(artifact)
    context.changed('counters', '', undefined)
    context.texts.add(artifact.characters)
    index.rememberClientId(facts.clientId, artifact)
    context.report({ type: 'artifact_created', artifact }, author)
    return artifact
  }

  /** Adds what a client says about an artifact to the newest version, which has the same content. */
  #addTo(
    newest: Artifact,
    { run, facts, author }: { run: Run | undefined; facts: ArtifactFacts; author: Author },
  ): Artifact {
    const { context, index, labels } = this.#parts
    checkLabels(context.limits, newest.version!.aliases, facts.aliases ?? [])
    checkLabels(context.limits, newest.tags, facts.tags ?? [])
    index.logAgain(newest, run)
    index.rememberClientId(facts.clientId, newest)
    labels.addAliases(newest.version!, facts.aliases ?? [], author)
    labels.addTags(newest, facts.tags ?? [], author)
    return newest
  }

  /** The artifact that another call created for the same upload. Programs of one group upload several at a time. */
  #repeated(
    place: ArtifactPlace,
    { clientId, distributedId }: ArtifactFacts,
  ): Artifact | undefined {
    const { index, projects } = this.#parts
    const known = clientId === undefined ? undefined : index.withClientId(clientId)
    if (known && known.state !== 'DELETED') return known
    if (distributedId === undefined || distributedId === '') return undefined
    const source = projects.collectionNamed(place.entity, place.project, place.collection)
    for (const each of source ? index.all : []) {
      const isSame = each.source === source && each.distributedId === distributedId
      if (isSame && each.state === 'PENDING') return each
    }
    return undefined
  }

  #checkFacts({ digest, metadata, aliases = [], tags = [] }: ArtifactFacts): void {
    const { context } = this.#parts
    if (digest === '' || digest.length > 128) {
      throw new PlatformError(
        'invalid',
        `The digest of the artifact is ${quoted(digest)}; expected the MD5 of its manifest in hexadecimal digits.`,
      )
    }
    if (metadata !== undefined) checkJsonObject('metadata', metadata)
    for (const alias of aliases) checkAlias(alias)
    for (const tag of tags) checkName('tag', tag)
    checkLabels(context.limits, [LATEST], aliases)
    checkLabels(context.limits, [], tags)
  }

  /** Refuses a new artifact that the world has no room for. */
  #checkRoom({ description = '', metadata = '' }: ArtifactFacts): void {
    const { context, index } = this.#parts
    checkLimit(context.limits, 'artifacts', index.count + 1)
    context.texts.check(description.length + metadata.length)
  }

  /** Returns the collection, if there is one already. */
  #checkPlace(place: ArtifactPlace): ArtifactCollection | undefined {
    const { entity, project: projectName, collection: name, type } = place
    const { projects } = this.#parts
    projects.check(entity, projectName)
    checkName('collection', name)
    projects.checkTypes(projects.named(entity, projectName), [type])
    const collection = projects.collectionNamed(entity, projectName, name)
    if (!collection) return undefined
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
    return collection
  }
}
