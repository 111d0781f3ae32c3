import type { Artifact, Version } from './artifact.js'
import { LATEST } from './collection.js'
import type { PlatformContext } from './context.js'
import { checkLabels } from './limits.js'
import { checkAlias, checkJsonObject, checkName } from './names.js'
import { deletedError } from './platform-error.js'
import type { Author } from './platform-change.js'

/** A change of an artifact. What is undefined stays. */
export interface ArtifactRevision {
  readonly description?: string | undefined
  /** A JSON object as text. */
  readonly metadata?: string | undefined
  readonly ttlSeconds?: number | undefined
  /** All aliases that it has in its source, besides `latest`. */
  readonly aliases?: readonly string[] | undefined
  readonly tagsToAdd?: readonly string[] | undefined
  readonly tagsToDelete?: readonly string[] | undefined
}

/** What is said about artifacts: descriptions, metadata, aliases and tags. */
export class ArtifactLabels {
  readonly #context: PlatformContext

  constructor(context: PlatformContext) {
    this.#context = context
  }

  /**
   * Changes what is said about an artifact.
   *
   * @throws {PlatformError} When a value is not allowed. Nothing changes.
   */
  revise(artifact: Artifact, revision: ArtifactRevision, author: Author): void {
    this.#check(artifact, revision)
    const { description, metadata, ttlSeconds, aliases } = revision
    const { characters } = artifact
    if (description !== undefined) artifact.description = description
    if (metadata !== undefined) artifact.metadata = metadata
    if (ttlSeconds !== undefined) artifact.ttlSeconds = ttlSeconds
    this.#context.texts.add(artifact.characters - characters)
    if (aliases) this.#replaceAliases(artifact, aliases, author)
    for (const tag of revision.tagsToDelete ?? []) {
      if (!artifact.tags.delete(tag)) continue
      this.#context.report({ type: 'tag_removed', artifact, tag }, author)
    }
    this.addTags(artifact, revision.tagsToAdd ?? [], author)
    artifact.updatedAt = this.#context.now()
    this.#context.changed('artifact', artifact.id, artifact)
  }

  #check(artifact: Artifact, revision: ArtifactRevision): void {
    const { aliases, tagsToAdd = [], tagsToDelete = [] } = revision
    if (artifact.state === 'DELETED') throw deletedError(artifact.source.name)
    if (revision.metadata !== undefined) checkJsonObject('metadata', revision.metadata)
    for (const alias of aliases ?? []) checkAlias(alias)
    for (const tag of tagsToAdd) checkName('tag', tag)
    const kept = [...artifact.tags].filter((tag) => !tagsToDelete.includes(tag))
    checkLabels(this.#context.limits, kept, tagsToAdd)
    const isLatest = artifact.version?.aliases.has(LATEST) ?? true
    if (aliases) checkLabels(this.#context.limits, isLatest ? [LATEST] : [], aliases)
    const { description = artifact.description, metadata = artifact.metadata } = revision
    this.#context.texts.check(description.length + metadata.length - artifact.characters)
  }

  #replaceAliases(artifact: Artifact, aliases: readonly string[], author: Author): void {
    const { version } = artifact
    if (!version) {
      artifact.plannedAliases.clear()
      for (const alias of aliases) artifact.plannedAliases.add(alias)
      return
    }
    this.removeAliases(
      version,
      [...version.aliases].filter((alias) => alias !== LATEST && !aliases.includes(alias)),
      author,
    )
    const added = aliases.filter((alias) => !version.aliases.has(alias))
    this.addAliases(
      version,
      added.filter((alias) => alias !== LATEST),
      author,
    )
  }

  /** Gives a version aliases that were checked. Another version that has one of them loses it. */
  addAliases(version: Version, aliases: readonly string[], author: Author): void {
    for (const alias of aliases) {
      if (version.aliases.has(alias)) continue
      const movedFrom = version.collection.setAlias(alias, version)
      this.#context.changed('version', version.id, version)
      if (movedFrom) this.#context.changed('version', movedFrom.id, movedFrom)
      this.#context.report({ type: 'alias_added', membership: version, alias, movedFrom }, author)
    }
  }

  /** Takes aliases away from a version. */
  removeAliases(version: Version, aliases: readonly string[], author: Author): void {
    for (const alias of aliases.filter((each) => version.aliases.has(each))) {
      version.collection.removeAlias(alias, version)
      this.#context.changed('version', version.id, version)
      this.#context.report({ type: 'alias_removed', membership: version, alias }, author)
    }
  }

  /** Gives an artifact tags that were checked. */
  addTags(artifact: Artifact, tags: readonly string[], author: Author): void {
    for (const tag of tags) {
      if (artifact.tags.has(tag)) continue
      artifact.tags.add(tag)
      this.#context.changed('artifact', artifact.id, artifact)
      this.#context.report({ type: 'tag_added', artifact, tag }, author)
    }
  }
}
