import { createHash } from 'node:crypto'
import type { Emulator } from '../../src/index.js'
import type { Artifact } from '../../src/service/platform/artifact.js'
import { putArtifact } from '../../src/service/platform/put-artifact.js'
import type { Run, RunFacts } from '../../src/service/platform/run.js'
import { ARTIFACT_DIGEST_PREFIX } from '../../src/base/text/vendor/platform-names.js'

type World = Pick<Emulator, 'engine'>

const AUTHOR = { user: 'ada' }
const CONTENT = 'hello'
const ROWS = { entity: 'local-team', project: 'verse', collection: 'rows', type: 'dataset' }

/** The MD5 of a text in base64, as manifests have it. */
export function md5Of(text: string | Uint8Array): string {
  return createHash('md5').update(text).digest('base64')
}

/**
 * The manifest of some texts by path, each character of which is one byte, and the digest of an artifact that has them.
 * It may have references, too, by path.
 */
export function manifestOf(
  files: Readonly<Record<string, string>>,
  references: Readonly<Record<string, string>> = {},
): {
  text: string
  digest: string
} {
  const uploaded = Object.entries(files).map(([path, text]) => {
    return [path, { digest: md5Of(Buffer.from(text, 'latin1')), size: text.length }] as const
  })
  const referred = Object.entries(references).map(([path, ref]) => {
    return [path, { digest: ref, size: 0, ref }] as const
  })
  const entries = [...uploaded, ...referred]
  const lines = [...entries].sort(([one], [other]) => (one < other ? -1 : 1))
  const digests = lines.map(([path, { digest }]) => `${path}:${digest}\n`).join('')
  return {
    text: JSON.stringify({ version: 1, contents: Object.fromEntries(entries) }),
    digest: createHash('md5').update(`${ARTIFACT_DIGEST_PREFIX}\n${digests}`).digest('hex'),
  }
}

/** Creates a run with a file. */
export function aRun(world: World): Run {
  return aRunThat(world, { name: 'poem', files: { 'a.txt': CONTENT } })
}

/** Creates an artifact, one of whose files is uploaded, and does not commit it. */
export function anUncommittedVersion({ engine }: World): Artifact {
  const platform = engine.platformWithCheckpoints()
  const { artifacts } = platform
  const artifact = artifacts.create(ROWS, { digest: 'abc' }, AUTHOR)
  const files = ['a.txt', 'b.txt'].map((path) => ({ artifact, path, digest: md5Of(path) }))
  const [first] = artifacts.addFiles(files)
  platform.upload(first!.id, new TextEncoder().encode('a.txt'))
  return artifact
}

/** Creates an artifact with a file. */
export function aVersion({ engine }: World): Artifact {
  const platform = engine.platformWithCheckpoints()
  const files = { 'a.txt': new TextEncoder().encode(CONTENT) }
  return putArtifact(platform, ROWS, { files }, AUTHOR)
}

interface LoggedRun {
  readonly name: string
  readonly facts?: RunFacts
  /** The rows of its history. */
  readonly rows?: readonly object[]
  readonly summary?: object
  /** Texts by path. */
  readonly files?: Readonly<Record<string, string>>
  /** What its program exited with. Default: it runs. */
  readonly exitCode?: number
}

/** Creates a run as a program leaves it. */
export function aRunThat({ engine }: World, logged: LoggedRun): Run {
  const platform = engine.platformWithCheckpoints()
  const { name, facts = {}, rows = [], summary = rows.at(-1), files = {}, exitCode } = logged
  const { runs } = platform
  const { run } = runs.upsert({ entity: 'local-team', project: 'verse', name }, facts, AUTHOR)
  for (const file of runs.files.open(run, Object.keys(files))) {
    platform.upload(file.id, new TextEncoder().encode(files[file.path]))
  }
  const lines = rows.map((row) => JSON.stringify(row))
  const complete = exitCode !== undefined
  const history = { offset: run.history.length, lines }
  runs.log(
    run,
    { history, summary: summary && JSON.stringify(summary), complete, exitCode },
    AUTHOR,
  )
  return run
}
