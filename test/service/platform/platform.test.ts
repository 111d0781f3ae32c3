import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { SeededRandom } from '../../../src/base/random/random.js'
import { ARTIFACT_DIGEST_PREFIX } from '../../../src/base/text/vendor/platform-names.js'
import type { Artifact } from '../../../src/service/platform/artifact.js'
import type { ArtifactPlace } from '../../../src/service/platform/artifact-creation.js'
import type { PlatformLimits } from '../../../src/service/platform/limits.js'
import { hexOf } from '../../../src/service/platform/digest.js'
import { readManifest } from '../../../src/service/platform/manifest.js'
import { quoteNotFinite } from '../../../src/service/platform/not-finite.js'
import { Platform, type PlatformSetup } from '../../../src/service/platform/platform.js'
import type { PlatformChange } from '../../../src/service/platform/platform-change.js'
import { putArtifact } from '../../../src/service/platform/put-artifact.js'
import { manifestOf, md5Of } from '../../support/platform-records.js'

const ADA = { user: 'ada' }
const AT = Date.parse('2026-11-26T00:00:00Z')

function platform(options: Partial<PlatformSetup> = {}) {
  const changes: PlatformChange[] = []
  const world = new Platform({
    now: () => AT,
    random: new SeededRandom(1),
    digestPrefix: ARTIFACT_DIGEST_PREFIX,
    ...options,
  })
  world.subscribe((change) => changes.push(change))
  return { world, changes }
}

const nested = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
const bytesOf = (text: string) => new TextEncoder().encode(text)
const hex = (text: string) => createHash('md5').update(text).digest('hex')

/** A world with a run. */
function worldWithRun(options: Partial<PlatformSetup> = {}) {
  const { world, changes } = platform(options)
  const { run } = world.runs.upsert({ entity: 'team', project: 'verse' }, {}, ADA)
  return { world, changes, run }
}

const PLACE = { entity: 'team', project: 'verse', collection: 'rows', type: 'dataset' }

interface Logged {
  files?: Record<string, string>
  aliases?: string[]
  tags?: string[]
  metadata?: string
  place?: Partial<ArtifactPlace>
  distributedId?: string
}

/** Creates an artifact and uploads its files, without the commit. */
function upload(
  world: Platform,
  {
    files = { 'a.txt': 'a' },
    aliases = [],
    tags = [],
    metadata,
    place,
    distributedId,
  }: Logged = {},
) {
  const manifest = manifestOf(files)
  const facts = { digest: manifest.digest, aliases, tags, metadata, distributedId }
  const artifact = world.artifacts.create({ ...PLACE, ...place }, facts, ADA)
  if (artifact.state === 'COMMITTED') return artifact
  for (const [path, text] of Object.entries(files)) {
    const [file] = world.artifacts.addFiles([{ artifact, path, digest: md5Of(text) }])
    if (file!.digest === undefined) world.upload(file!.id, bytesOf(text))
  }
  const { file } = world.artifacts.addManifest(artifact, {
    digest: md5Of(manifest.text),
    path: 'manifest.json',
  })
  world.upload(file.id, bytesOf(manifest.text))
  return artifact
}

function log(world: Platform, logged: Logged = {}): Artifact {
  return world.artifacts.commit(upload(world, logged), ADA)
}

describe('runs', () => {
  it('count what they logged under each key once, also if it is sent again', () => {
    const { world, run } = worldWithRun()
    const lines = ['{"_step": 0, "loss": 2}', '{"_step": 1, "loss": 1}']
    for (let tries = 0; tries < 2; tries++) {
      world.runs.log(run, { history: { offset: 0, lines } }, ADA)
    }
    expect(run.history.keys().get('loss')).toEqual({ type: 'number', count: 2, last: 1 })
  })

  it('may have numbers that are not finite beside a text of any length', () => {
    const text = JSON.stringify(`"NaN\\ ${'x'.repeat(20_000_000)}`)
    expect(quoteNotFinite(`[NaN, ${text}, -Infinity]`)).toBe(`["NaN", ${text}, "-Infinity"]`)
  })

  it('say the same again, and more within the limit of all texts', () => {
    const { world } = platform({ limits: { textCharacters: 40 } })
    const poem = { entity: 'team', project: 'verse', name: 'poem' }
    const upsert = (config: string, writer?: string) => {
      return world.runs.upsert({ ...poem, writer }, { config }, ADA).run.config
    }
    expect(upsert('{"lr": 0.123456789}')).toBe(upsert('{"lr": 0.123456789}'))
    expect(() => upsert('{"a": "long enough"}', 'one')).toThrow('characters in the histories')
    expect(() => upsert('[1]', 'one')).toThrow('The config is a list')
    expect(upsert('{}', 'one')).toBe('{"lr":0.123456789}')
  })

  it('count a file once, however often it is opened', () => {
    const { world, run } = worldWithRun({ limits: { runFiles: 1 } })
    const [first] = world.runs.files.open(run, ['a.txt'])
    expect(world.runs.files.open(run, ['a.txt', 'a.txt'])).toEqual([first, first])
    expect(() => world.runs.files.open(run, ['b.txt'])).toThrow('There would be 2 files')
  })

  it('have a limit of their own', () => {
    expect(() => worldWithRun({ limits: { runs: 0 } })).toThrow(
      /There would be 1 runs in this world.*at most 0 are allowed/,
    )
  })

  it('are looked for in the projects that there are', () => {
    const { world } = worldWithRun()
    expect(() => world.projects.get('team', 'vers')).toThrow(
      'There is no project "vers" of the entity "team". The entity has verse.',
    )
    const names = Array.from({ length: 11 }, (_, index) => `p${index}`)
    for (const name of names) world.projects.open('crew', name, ADA)
    expect(() => world.projects.get('crew', 'p')).toThrow('p8, p9 and 1 more.')
    expect(() => world.projects.get('nobody', 'p')).toThrow('The entity has no projects.')
  })

  it.each([
    [{ project: '../verse' }, {}, 'The name of the project is "../verse", which contains "/".'],
    [{ project: '..' }, {}, 'which is a place in a file system'],
    [{ name: 'a:b' }, {}, 'The name of the run is "a:b", which contains ":".'],
    [{}, { config: '[1]' }, 'The config is a list; expected a JSON object.'],
    [{}, { config: '{' }, 'The config is not JSON'],
    [{}, { config: '""' }, 'The config is ""; expected a JSON object.'],
    [{}, { config: nested(201) }, 'The config is nested too deeply; at most 200 lists and objects'],
    [
      { name: 'a\ud800' },
      {},
      String.raw`The name of the run is "a\ud800", which contains "\ud800".`,
    ],
    [{}, { tags: [''] }, 'The name of the tag is "", which is empty.'],
  ])('refuse %j %j, and create nothing', (which, facts, message) => {
    const { world, changes } = platform()
    const upsert = () =>
      world.runs.upsert({ entity: 'team', project: 'verse', ...which }, facts, ADA)
    expect(upsert).toThrow(message)
    expect([[...world.projects.all()], changes]).toEqual([[], []])
  })

  it.each(['/etc/passwd', 'a/../b', '', 'a//b', 'C:/a', 'a\\b', 'a\nb', 'a\udcff'])(
    'refuse the path %j of a file',
    (path) => {
      const { world, run } = worldWithRun()
      expect(() => world.runs.files.open(run, ['good.txt', path])).toThrow(
        'The path of the file is',
      )
      expect(run.files.size).toBe(0)
    },
  )
})

describe('artifacts', () => {
  it('make no new version of the content of the newest one', () => {
    const { world } = platform()
    const first = log(world)
    const again = log(world, { aliases: ['again'] })
    expect(again).toBe(first)
    expect([...first.version!.aliases]).toEqual(['latest', 'again'])
    const other = log(world, { files: { 'a.txt': 'other' } })
    const back = log(world)
    expect([other.version!.index, back.version!.index]).toEqual([1, 2])
  })

  it('make no new version if two programs upload the same content at the same time', () => {
    const { world } = platform()
    const [one, two] = [upload(world), upload(world, { aliases: ['best'] })]
    expect(one).not.toBe(two)
    world.artifacts.commit(one, ADA)
    expect(world.artifacts.commit(two, ADA)).toBe(one)
    expect(world.artifacts.get(two.id)).toBe(one)
    expect([...one.version!.aliases]).toEqual(['latest', 'best'])
    expect(world.artifacts.count).toBe(1)
  })

  it('that were merged leave their runs to the one that has their content', () => {
    const { world } = platform()
    const [logger, user] = ['logger', 'user'].map((name) => {
      return world.runs.upsert({ entity: 'team', project: 'verse', name }, {}, ADA).run
    })
    const [one, two] = [upload(world), upload(world, { place: { run: logger } })]
    world.artifacts.use(two, user!)
    for (const artifact of [one, two]) world.artifacts.commit(artifact, ADA)
    expect([one.isLoggedBy(logger!), [...one.usedBy]]).toEqual([true, [user]])
  })

  it('of one group of programs are told apart by their collections', () => {
    const { world } = platform()
    const rows = upload(world, { distributedId: 'group' })
    expect(upload(world, { distributedId: 'group' })).toBe(rows)
    for (const place of [{ collection: 'other' }, { project: 'prose' }]) {
      expect(upload(world, { distributedId: 'group', place })).not.toBe(rows)
    }
  })

  it('get all of several aliases, or none', () => {
    const { world } = platform()
    const [{ version: one }, { version: two }] = [{ a: 'a' }, { a: 'b' }].map((files) => {
      return log(world, { files })
    }) as [Artifact, Artifact]
    const added = new Map([
      [one!, ['best']],
      [two!, ['v3']],
    ])
    expect(() => world.artifacts.addAliases(added, ADA)).toThrow('is the name of a version')
    expect([...one!.aliases]).toEqual([])
  })

  it('that were merged take no room', () => {
    const { world } = platform({ limits: { textCharacters: 200 } })
    const metadata = JSON.stringify({ note: 'x'.repeat(50) }) // 61 characters
    for (const name of ['a.txt', 'b.txt']) {
      const logged = { files: { [name]: '' }, metadata }
      const twins = [upload(world, logged), upload(world, logged)]
      for (const artifact of twins) world.artifacts.commit(artifact, ADA)
    }
    expect(world.artifacts.count).toBe(2)
  })

  it('have no size for a file whose manifest names none', () => {
    const contents = { 'a.txt': { digest: md5Of('a') }, 'b.txt': { digest: md5Of('b'), size: 1 } }
    expect([...readManifest(bytesOf(JSON.stringify({ contents }))).values()]).toEqual([
      { digest: md5Of('a'), size: 0 },
      { digest: md5Of('b'), size: 1 },
    ])
  })

  it.each(['1e999', '0.5', '-1'])('have no file of a size of %s', (size) => {
    const text = `{"contents": {"a.txt": {"digest": "${md5Of('a')}", "size": ${size}}}}`
    expect(() => readManifest(bytesOf(text))).toThrow('expected a whole number from 0 on')
  })

  it('with too many files leave nothing behind', () => {
    const { world, changes } = platform({ limits: { artifactFiles: 1 } })
    const files = { a: bytesOf('a'), b: bytesOf('b') }
    const facts = { files, aliases: [], metadata: '{}' }
    expect(() => putArtifact(world, PLACE, facts, ADA)).toThrow('There would be 2 files')
    expect([changes, world.blobs.size]).toEqual([[], 0])
  })

  it('store the same content once', () => {
    const { world } = platform()
    log(world, { files: { 'a.txt': 'same' } })
    const second = log(world, { files: { 'b.txt': 'same' } })
    expect(world.blobs.size).toBe(3) // The content and two manifests.
    world.artifacts.delete(second, { withAliases: true }, ADA)
    expect(world.blobs.size).toBe(2)
  })

  it('stay apart from those of a later collection with the name that theirs had', () => {
    const { world } = platform()
    const before = log(world)
    world.artifacts.collections.rename(before.source, 'old rows')
    const after = log(world, { files: { 'b.txt': 'b' } })
    expect(after.source.id).not.toBe(before.source.id)
    expect(after.version!.id).not.toBe(before.version!.id)
    expect(world.artifacts.collectionWithId(before.source.id)!.name).toBe('old rows')
  })

  it('add files to those of another version', () => {
    const { world } = platform()
    const base = log(world, { files: { 'a.txt': 'a', 'c.txt': 'c' } })
    const artifact = world.artifacts.create(PLACE, { digest: hex('all') }, ADA)
    const own = [{ 'a.txt': 'new' }, { 'b.txt': 'b' }]
    for (const [path, text] of own.flatMap(Object.entries)) {
      const [file] = world.artifacts.addFiles([{ artifact, path, digest: md5Of(text) }])
      world.upload(file!.id, bytesOf(text))
    }
    for (const files of own) {
      const { text } = manifestOf(files)
      const facts = { type: 'INCREMENTAL', base, path: 'manifest.json' } as const
      const { file } = world.artifacts.addManifest(artifact, { ...facts, digest: md5Of(text) })
      world.upload(file.id, bytesOf(text))
    }
    world.artifacts.commit(artifact, ADA)
    const digests = Array.from(world.artifacts.contents.of(artifact), ([path, { digest }]) => {
      return [path, digest]
    })
    const contents = { 'a.txt': 'new', 'c.txt': 'c', 'b.txt': 'b' }
    expect(digests).toEqual(Object.entries(contents).map(([path, text]) => [path, md5Of(text)]))
  })

  it('that add files keep all that is said about them', () => {
    const { world } = platform()
    const artifact = world.artifacts.create(PLACE, { digest: hex('all') }, ADA)
    const entry = { digest: 'etag', size: 3, ref: 's3://bucket/a', extra: { etag: 'etag' } }
    const text = JSON.stringify({ version: 1, contents: { a: entry } })
    const facts = { type: 'INCREMENTAL', digest: md5Of(text), path: 'manifest.json' } as const
    world.upload(world.artifacts.addManifest(artifact, facts).file.id, bytesOf(text))
    world.artifacts.commit(artifact, ADA)
    const manifest = world.artifacts.contents.withDigest(artifact, hexOf(artifact.manifestDigest!))
    const [bytes] = manifest!.chunks as Iterable<Uint8Array>
    expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual(JSON.parse(text))
  })

  it('have the digest of their paths in the order of characters, as Python sorts them', () => {
    const { world } = platform()
    const entry = { digest: md5Of('a'), size: 1 }
    const paths = ['\u{1f600}', '\uff01', 'a', 'ab']
    const entries = new Map(paths.map((path) => [path, entry]))
    const lines = ['a', 'ab', '\uff01', '\u{1f600}'].map((path) => `${path}:${entry.digest}\n`)
    expect(world.artifacts.contents.digestOf(entries)).toBe(
      hex(`${ARTIFACT_DIGEST_PREFIX}\n${lines.join('')}`),
    )
  })

  it('take a better digest of a manifest later, and none that cannot be one', () => {
    const { world } = platform()
    const { text, digest } = manifestOf({})
    const artifact = world.artifacts.create(PLACE, { digest }, ADA)
    const manifest = world.artifacts.addManifest(artifact, { digest: '', path: 'manifest.json' })
    expect(() => world.artifacts.reviseManifest(manifest, { digest: 'abc' })).toThrow(
      'The digest is "abc"; expected an MD5 in base64',
    )
    world.artifacts.reviseManifest(manifest, { digest: md5Of(text) })
    world.artifacts.reviseManifest(manifest, { digest: '' })
    expect(() => world.upload(manifest.file.id, bytesOf('other'))).toThrow(md5Of(text))
    world.upload(manifest.file.id, bytesOf(text))
    expect(world.artifacts.commit(artifact, ADA).state).toBe('COMMITTED')
  })

  it('that are deleted, or of a type that a registry does not take, are not linked', () => {
    const { world } = platform()
    const artifact = log(world)
    const project = world.projects.open('org', 'registry', ADA)
    world.projects.revise(project, { allowsAllTypes: false })
    const place = { entity: 'org', project: 'registry', collection: 'data' }
    const link = () => world.artifacts.links.link(artifact, place, ADA)
    expect(link).toThrow('The registry "registry" takes artifacts of no type; the artifact')
    world.artifacts.delete(artifact, {}, ADA)
    expect(link).toThrow('The artifact "rows" is deleted.')
  })

  it.each<[string, string, (artifacts: Platform['artifacts'], artifact: Artifact) => unknown]>([
    [
      'a commit without a manifest',
      'has no manifest yet',
      (artifacts) => artifacts.commit(artifacts.create(PLACE, { digest: hex('x') }, ADA), ADA),
    ],
    [
      'a file for a committed one',
      'is committed, so its files cannot change',
      (artifacts, artifact) =>
        artifacts.addFiles([{ artifact, path: 'b.txt', digest: md5Of('b') }]),
    ],
    [
      'a deletion that leaves aliases',
      'has the aliases best',
      (artifacts, artifact) => artifacts.delete(artifact, {}, ADA),
    ],
    [
      'metadata that is a list',
      'The metadata is a list; expected a JSON object.',
      (artifacts, artifact) => artifacts.revise(artifact, { metadata: '[3]' }, ADA),
    ],
  ])('refuse %s', (_what, message, change) => {
    const { world } = platform()
    const artifact = log(world, { aliases: ['best'] })
    expect(() => change(world.artifacts, artifact)).toThrow(message)
  })

  it('refuse a digest that their files do not have', () => {
    const { world } = platform()
    const { text, digest } = manifestOf({})
    const artifact = world.artifacts.create(PLACE, { digest: hex('other') }, ADA)
    const facts = { digest: md5Of(text), path: 'manifest.json' }
    world.upload(world.artifacts.addManifest(artifact, facts).file.id, bytesOf(text))
    expect(() => world.artifacts.commit(artifact, ADA)).toThrow(
      `The digest of the artifact "rows" is ${hex('other')}; the files in its manifest have the digest ${digest}.`,
    )
  })

  it('are not found by the digest of another entity', () => {
    const { world } = platform()
    log(world, { files: { 'a.txt': 'secret' } })
    const place = { ...PLACE, entity: 'others' }
    const artifact = world.artifacts.create(place, { digest: hex('x') }, ADA)
    const [file] = world.artifacts.addFiles([{ artifact, path: 'a.txt', digest: md5Of('secret') }])
    expect(file!.digest).toBeUndefined()
  })
})

describe('limits', () => {
  it.each<[string, Partial<PlatformLimits>, Logged]>([
    ['projects', { projects: 1 }, { place: { project: 'b' } }],
    ['versions of artifacts', { artifacts: 1 }, { files: {} }],
    ['bytes in the files', { blobBytes: 200 }, { files: { a: 'x'.repeat(200) } }],
    ['files in one version', { artifactFiles: 1 }, { files: { a: '', b: '' } }],
    ['aliases or tags', { aliases: 1 }, { aliases: ['a', 'b'], files: {} }],
  ])('of %s have their own error', (what, limits, logged) => {
    const { world } = platform({ limits })
    log(world)
    expect(() => log(world, logged)).toThrow(
      new RegExp(`There would be \\d+ ${what}.*at most \\d+ are allowed`),
    )
  })

  describe.each(['aliases', 'tags'] as const)('of %s', (what) => {
    const opened = () => platform({ limits: { aliases: 3 } }).world

    it('count those that the newest version has, if its content is logged again', () => {
      const world = opened()
      const { digest } = log(world, { [what]: ['a', 'b'] })
      const again = (names: string[]) =>
        world.artifacts.create(PLACE, { digest, [what]: names }, ADA)
      again(['b', 'a', 'b'])
      expect(() => again(['c', 'd'])).toThrow('aliases or tags on one version')
      const { newest } = world.artifacts.find(
        world.projects.get('team', 'verse'),
        'rows:v0',
      )!.collection
      expect([...newest!.aliases, ...newest!.artifact.tags].toSorted()).toEqual([
        'a',
        'b',
        'latest',
      ])
    })

    it('count those of both, if two uploads have the same content', () => {
      const world = opened()
      const [one, other] = [
        ['a', 'b'],
        ['c', 'd'],
      ].map((names) => upload(world, { [what]: names }))
      world.artifacts.commit(one!, ADA)
      expect(() => world.artifacts.commit(other!, ADA)).toThrow('aliases or tags on one version')
      expect(other!.state).toBe('PENDING')
    })
  })

  it('of aliases count those of a link that is made again', () => {
    const { world } = platform({ limits: { aliases: 3 } })
    const artifact = log(world)
    const link = (aliases: string[]) =>
      world.artifacts.links.link(artifact, { ...PLACE, collection: 'links', aliases }, ADA)
    link(['a', 'b'])
    expect(() => link(['c'])).toThrow('There would be 4 aliases or tags')
    expect([...link(['b']).aliases]).toEqual(['latest', 'a', 'b'])
  })

  it('of aliases count the newest one, which each new version gets', () => {
    const { world } = platform({ limits: { aliases: 1 } })
    expect(() => log(world, { aliases: ['a'] })).toThrow('There would be 2 aliases or tags')
    expect([...log(world, { aliases: ['latest'] }).version!.aliases]).toEqual(['latest'])
  })

  it('of aliases and tags count what a change leaves', () => {
    const { world } = platform({ limits: { aliases: 3 } })
    const artifact = log(world, { aliases: ['a', 'b'], tags: ['a', 'b', 'c'] })
    const revision = { aliases: ['c', 'd'], tagsToAdd: ['a', 'd'], tagsToDelete: ['b'] }
    world.artifacts.revise(artifact, revision, ADA)
    expect([...artifact.version!.aliases]).toEqual(['latest', 'c', 'd'])
    expect([...artifact.tags]).toEqual(['a', 'c', 'd'])
    const { collections } = world.artifacts
    collections.addTags(artifact.source, ['a', 'b', 'c'], ADA)
    collections.addTags(artifact.source, ['c', 'a'], ADA)
    expect([...artifact.source.tags]).toEqual(['a', 'b', 'c'])
  })

  it.each([
    ['artifacts', { artifacts: 1 }],
    ['texts', { textCharacters: 12 }],
  ])('of %s take a content that is there already', (_what, limits) => {
    const { world } = platform({ limits })
    const metadata = '{"rows": 3}'
    const artifact = log(world, { metadata })
    expect(log(world, { metadata })).toBe(artifact)
    expect(() => log(world, { metadata, files: {} })).toThrow('at most')
  })

  it('of texts count what a change leaves as it is', () => {
    const { world } = platform({ limits: { textCharacters: 20 } })
    const artifact = log(world)
    world.artifacts.revise(artifact, { description: 'x'.repeat(15) }, ADA)
    expect(() => world.artifacts.revise(artifact, { metadata: '{"rows": 3}' }, ADA)).toThrow(
      'There would be 26 characters',
    )
    world.artifacts.revise(artifact, { description: '', metadata: '{"rows": 3}' }, ADA)
    expect(artifact.characters).toBe(11)
  })

  it('of texts count what takes the place of lines', () => {
    const { world, run } = worldWithRun({ limits: { textCharacters: 60 } })
    const history = { offset: 0, lines: ['{"a":1}', '{"b":1}', '{"c":1}', '{"d":1}'] }
    world.runs.log(run, { history, complete: true }, ADA)
    world.runs.upsert({ run, entity: 'team', project: 'verse' }, {}, ADA)
    const lines = ['{"a":"instead of what was there"}']
    world.runs.log(run, { history: { offset: 0, lines } }, ADA)
    expect(run.history.lines).toEqual(lines)
  })

  it('of files count a path and a content once, however often they are named', () => {
    const { world } = platform({ limits: { artifactFiles: 1, blobBytes: 1500 } })
    const artifact = world.artifacts.create(PLACE, { digest: hex('x') }, ADA)
    const file = { artifact, path: 'a.txt', digest: md5Of('a') }
    expect(new Set(world.artifacts.addFiles([file, file])).size).toBe(1)
    const other = platform({ limits: { blobBytes: 1500 } }).world
    const bytes = bytesOf('x'.repeat(1000))
    const put = putArtifact(other, PLACE, { files: { a: bytes, b: bytes } }, ADA)
    expect([put.state, put.fileCount]).toEqual(['COMMITTED', 2])
  })

  it('of bytes leave no version whose manifest has no room', () => {
    const { world } = platform({ limits: { blobBytes: 100 } })
    const put = () => putArtifact(world, PLACE, { files: { a: bytesOf('x'.repeat(90)) } }, ADA)
    expect(put).toThrow('bytes in the files of this world; at most 100 are allowed')
    expect([world.artifacts.count, world.blobs.bytes]).toEqual([0, 0])
  })

  it.each([
    ['lines in one stream', { historyLines: 2 }],
    ['characters in the histories', { textCharacters: 20 }],
  ])('of %s leave the run as it is', (what, limits) => {
    const { world, run } = worldWithRun({ limits })
    world.runs.log(run, { history: { offset: 0, lines: ['{}'] } }, ADA)
    const lines = ['{"loss":1}', '{"loss":2}', '{"loss":3}']
    expect(() => world.runs.log(run, { history: { offset: 1, lines } }, ADA)).toThrow(what)
    expect(() => world.runs.log(run, { history: { offset: 1e9, lines: [] } }, ADA)).toThrow(
      'There would be 1000000000 lines',
    )
    expect(run.history.lines).toEqual(['{}'])
  })
})
