import type { Artifact, Version } from './artifact.js'
import { LATEST } from './collection.js'
import type { PlatformContext } from './context.js'
import { checkLimit } from './limits.js'
import { checkAlias, checkJsonObject, checkName } from './names.js'
import { deletedError } from './platform-error.js'
import type { Author } from './platform-change.js'

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
    const { description, metadata, aliases, tagsToAdd = [], tagsToDelete = [] } = revision
    if (artifact.state === 'DELETED') throw deletedError(artifact.source.name)
    if (metadata !== undefined) checkJsonObject('metadata', metadata)
    for (const alias of aliases ?? []) checkAlias(alias)
    for (const tag of tagsToAdd) checkName('tag', tag)
    checkLimit(this.#context.limits, 'aliases', artifact.tags.size + tagsToAdd.length)
    if (aliases) this.checkAliases(artifact.version, aliases)
    const { characters } = artifact
    this.#context.texts.check((description?.length ?? 0) + (metadata?.length ?? 0) - characters)
    if (description !== undefined) artifact.description = description
    if (metadata !== undefined) artifact.metadata = metadata
    this.#context.texts.add(artifact.characters - characters)
    if (aliases) this.#replaceAliases(artifact, aliases, author)
    for (const tag of tagsToDelete) {
      if (!artifact.tags.delete(tag)) continue
      this.#context.report({ type: 'tag_removed', artifact, tag }, author)
    }
    this.addTags(artifact, tagsToAdd, author)
    artifact.updatedAt = this.#context.now()
    this.#context.changed('artifact', artifact.id, artifact)
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

  /** @throws {PlatformError} When a version would have too many aliases. */
  checkAliases(version: Version | undefined, added: readonly string[]): void {
    checkLimit(
      this.#context.limits,
      'aliases',
      new Set([...(version?.aliases ?? []), ...added]).size,
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
