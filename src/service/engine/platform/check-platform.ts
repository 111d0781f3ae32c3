import { shortJson } from '../../../base/text/shortened.js'
import { readManifest, type ManifestEntry } from '../../platform/manifest.js'
import { PlatformError } from '../../platform/platform-error.js'
import { LINES_IN_CHUNK, readLineKey } from '../../platform/savable.js'
import type { LastRecords, Of } from '../saved/last-records.js'
import { flawAt, flawsOf, missing, type Flaw, type Flaws } from '../saved/record-flaws.js'
import { digestIn, lostKey } from './saved-contents.js'

/** The contents of a saved world. */
export interface SavedContents {
  /** Those whose parts were joined, by their MD5. */
  readonly joined: ReadonlyMap<string, Uint8Array>
  /** Whether the bytes of the others are in files of their own. */
  readonly areFiles: boolean
}

/** Finds problems between the records of runs and artifacts. */
export function* platformFlaws(among: LastRecords, contents: SavedContents): Flaws {
  yield* runFlaws(among)
  yield* artifactFlaws(among)
  yield* contentFlaws(among, contents)
}

function* runFlaws(among: LastRecords): Flaws {
  const [counters] = among.of('platform')
  const projectNames = new Unique('project of the entity with that name')
  const ordinals = new Unique('project with that number')
  const names = new Unique('run of the project with that name')
  const paths = new Unique('file of the run with that path')
  // The ids of new runs and artifacts follow from how many there were.
  for (const kind of ['run', 'artifact'] as const) {
    const field = `${kind}s` as const
    const count = [...among.of(kind)].length
    const expected = `expected at least ${count}, the number of ${field}`
    yield* flawsOf(among, 'platform', (record) => {
      return record[field] < count ? flawAt([field], expected) : undefined
    })
  }
  yield* flawsOf(among, 'project', ({ entity, name, ordinal }) => {
    return projectNames.flaw(['name'], entity, name) ?? ordinals.flaw(['ordinal'], ordinal)
  })
  yield* flawsOf(among, 'run', ({ key, run }) => {
    const { project, name } = run!
    if (!counters) return missing(['key'], 'record of the kind', 'platform')
    if (!among.has('project', project)) return missing(['run', 'project'], 'project', project)
    if (!among.has('run_progress', key)) return missing(['key'], 'run_progress of the run', key)
    return names.flaw(['run', 'name'], project, name)
  })
  yield* flawsOf(among, 'run_progress', ({ key }) => {
    return among.has('run', key) ? undefined : missing(['key'], 'run', key)
  })
  yield* flawsOf(among, 'run_lines', ({ key, lines }) => linesFlaw(among, key, lines.length))
  yield* flawsOf(among, 'run_file', ({ file }) => {
    const { run, path } = file!
    if (!among.has('run', run)) return missing(['file', 'run'], 'run', run)
    return (
      paths.flaw(['file', 'path'], run, path) ?? digestFlaw(among, ['file', 'digest'], file!.digest)
    )
  })
}

function linesFlaw(among: LastRecords, key: string, count: number): Flaw | undefined {
  const place = readLineKey(key)
  if (!place) return flawAt(['key'], 'expected the id of a run, its stream, and a chunk')
  if (!among.has('run', place.run)) return missing(['key'], 'run', place.run)
  if (count <= LINES_IN_CHUNK) return undefined
  return flawAt(['lines'], `expected at most ${LINES_IN_CHUNK} lines, got ${count}`)
}

function* artifactFlaws(among: LastRecords): Flaws {
  const names = new Unique('collection of the project with that name')
  const isArtifact = (id: string): boolean => {
    return among.hadOnce('artifact', id) || among.has('artifact_id', id)
  }
  const ofArtifact = (path: Flaw['path'], id: string): Flaw | undefined => {
    return isArtifact(id) ? undefined : missing(path, 'artifact', id)
  }
  yield* flawsOf(among, 'collection', ({ project, name, deleted }) => {
    if (!among.has('project', project)) return missing(['project'], 'project', project)
    if (deleted) return undefined
    return names.flaw(['name'], project, name)
  })
  yield* flawsOf(among, 'version', versionFlaw(among))
  yield* flawsOf(among, 'artifact', artifactFlaw(among))
  yield* flawsOf(among, 'artifact_id', ({ key, artifact }) => {
    if (!among.has('artifact', artifact!)) return missing(['artifact'], 'artifact', artifact!)
    if (!among.has('artifact', key)) return undefined
    return flawAt(['key'], 'there is an artifact with that id')
  })
  yield* flawsOf(among, 'client_id', ({ artifact }) => ofArtifact(['artifact'], artifact!))
  yield* flawsOf(among, 'artifact_use', ({ artifact }) => ofArtifact(['artifact'], artifact))
  yield* flawsOf(among, 'upload', ({ artifact, digest }) => {
    return ofArtifact(['artifact'], artifact) ?? uploadFlaw(among, artifact, digest)
  })
  yield* flawsOf(among, 'manifest', ({ artifact, digest, base }) => {
    return (
      ofArtifact(['artifact'], artifact) ??
      (base === undefined ? undefined : ofArtifact(['base'], base)) ??
      uploadFlaw(among, artifact, digest)
    )
  })
  yield* flawsOf(among, 'mirrored', ({ key }) => {
    return among.hadOnce('model', key) ? undefined : missing(['key'], 'model', key)
  })
}

function artifactFlaw(among: LastRecords): (record: Of<'artifact'>) => Flaw | undefined {
  const [counters] = among.of('platform')
  const committed = new Set<string>()
  for (const { record } of among.of('version')) {
    const { artifact, collection } = record.version!
    if (among.get('collection', collection)?.of === 'source') committed.add(artifact)
  }
  return ({ key, artifact }) => {
    const { source, state, manifest } = artifact!
    if (!counters) return missing(['key'], 'record of the kind', 'platform')
    if (among.get('collection', source)?.of !== 'source') {
      return missing(['artifact', 'source'], 'collection of artifacts', source)
    }
    if (committed.has(key) !== (state === 'COMMITTED')) {
      const has = committed.has(key) ? 'has' : 'has no'
      return flawAt(['artifact', 'state'], `the artifact ${has} version in its collection`)
    }
    if ((manifest !== undefined) === (state === 'COMMITTED')) {
      return digestFlaw(among, ['artifact', 'manifest'], manifest)
    }
    const expected =
      'expected the digest of a manifest if the artifact is committed, and none otherwise'
    return flawAt(['artifact', 'manifest'], expected)
  }
}

function versionFlaw(among: LastRecords): (record: Of<'version'>) => Flaw | undefined {
  const indexes = new Unique('version of the collection with that index')
  const artifacts = new Unique('version of that artifact')
  const ofAlias = new Unique('version of the collection with that alias')
  return ({ version }) => {
    const { collection: id, artifact, index, aliases } = version!
    const collection = among.get('collection', id)
    if (!collection || collection.deleted) {
      return missing(['version', 'collection'], 'collection', id)
    }
    const its = among.get('artifact', artifact)?.artifact
    if (its?.state !== 'COMMITTED') {
      return missing(['version', 'artifact'], 'committed artifact', artifact)
    }
    if ((its.source === id) !== (collection.of === 'source')) {
      return flawAt(['version', 'collection'], 'it cannot have this artifact')
    }
    if (index >= collection.next) {
      return flawAt(['version', 'index'], `expected less than ${collection.next}, the next index`)
    }
    const repeated = aliases.findIndex((alias, at) => aliases.indexOf(alias) !== at)
    if (repeated !== -1) {
      const message = `the version has the alias ${shortJson(aliases[repeated]!)} twice`
      return flawAt(['version', 'aliases', repeated], message)
    }
    const taken = aliases.findIndex((alias) => !ofAlias.take(id, alias))
    if (taken !== -1) {
      const message = `another version of the collection has the alias ${shortJson(aliases[taken]!)}`
      return flawAt(['version', 'aliases', taken], message)
    }
    return (
      indexes.flaw(['version', 'index'], id, index) ??
      artifacts.flaw(['version', 'artifact'], id, artifact)
    )
  }
}

/** The uploads of an artifact that is committed or deleted are over. */
function uploadFlaw(
  among: LastRecords,
  artifact: string,
  digest: string | undefined,
): Flaw | undefined {
  const isOver = among.get('artifact', artifact)?.artifact?.state !== 'PENDING'
  return isOver ? undefined : digestFlaw(among, ['digest'], digest)
}

function digestFlaw(
  among: LastRecords,
  path: Flaw['path'],
  digest: string | undefined,
): Flaw | undefined {
  if (digest === undefined || among.has('content', digest)) return undefined
  return missing(path, 'content with the MD5', digest)
}

/**
 * Finds contents that lack a part. If they are in files, the first call that reads one learns whether it is still
 * there.
 */
function* contentFlaws(among: LastRecords, { joined, areFiles }: SavedContents): Flaws {
  yield* flawsOf(among, 'content_part', ({ key }) => {
    const digest = digestIn(key)
    return among.has('content', digest) ? undefined : missing(['key'], 'content', digest)
  })
  if (areFiles) return
  yield* flawsOf(among, 'content', ({ key, size }) => {
    if (among.has('content_part', lostKey(key)) || joined.has(key)) return undefined
    return flawAt(['size'], `the parts of the content do not have ${size} bytes`)
  })
  yield* flawsOf(among, 'artifact', ({ artifact }) => {
    const { manifest } = artifact!
    if (manifest === undefined || !among.has('content', manifest)) return undefined
    return manifestFlaw(among, joined.get(manifest))
  })
}

function manifestFlaw(among: LastRecords, bytes: Uint8Array | undefined): Flaw | undefined {
  if (!bytes) return undefined
  const path = ['artifact', 'manifest']
  let entries: Iterable<[string, ManifestEntry]>
  try {
    entries = readManifest(bytes)
  } catch (error) {
    if (error instanceof PlatformError) return flawAt(path, error.message)
    throw error
  }
  for (const [, { digest, ref }] of entries) {
    if (ref === undefined && !among.has('content', digest)) {
      return missing(path, 'content with the MD5', digest)
    }
  }
  return undefined
}

/** Values that only one record may have. */
class Unique {
  readonly #known = new Set<string>()
  readonly #what: string

  /** @param what - What has such values: `run of the project with that name`. */
  constructor(what: string) {
    this.#what = what
  }

  /** Takes values for a record. Returns whether no other one has them. */
  take(...values: readonly (string | number)[]): boolean {
    const before = this.#known.size
    return this.#known.add(JSON.stringify(values)).size > before
  }

  flaw(path: Flaw['path'], ...values: readonly (string | number)[]): Flaw | undefined {
    return this.take(...values) ? undefined : flawAt(path, `there is another ${this.#what}`)
  }
}
