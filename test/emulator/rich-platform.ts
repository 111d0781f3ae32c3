import type { Emulator } from '../../src/index.js'
import { plainWebhook } from '../../src/service/scenario/plain-webhook.js'
import { putArtifact } from '../../src/service/platform/put-artifact.js'
import { manifestOf, md5Of } from '../support/platform-records.js'

type Platform = Emulator['engine']['clientPlatform']

const ADA = { user: 'ada' }
const PROJECT = { entity: 'local-team', project: 'verse' }
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Creates runs and artifacts of all kinds and states, and automations of programs. */
export function fillPlatform({ engine }: Emulator): void {
  const platform = engine.platformWithCheckpoints()
  fillRuns(platform)
  fillArtifacts(platform)
  fillUploads(platform)
  fillAutomations(platform, engine.automations!)
}

function fillAutomations(
  { projects }: Platform,
  automations: NonNullable<Emulator['engine']['automations']>,
): void {
  const webhook = { ...plainWebhook, name: 'made-hook', url: 'http://receiver.test/hook' }
  automations.add({ secrets: {}, webhooks: [webhook], automations: [] })
  const { id } = projects.get(PROJECT.entity, PROJECT.project)
  const { entity } = PROJECT
  const facts = {
    enabled: true,
    scope: { type: 'PROJECT', id, entity },
    filter: '{"$or":[{"$and":[]}]}',
    event: 'LINK_MODEL',
  } as const
  const action = { type: 'GENERIC_WEBHOOK', webhook: 'made-hook', input: {} } as const
  const first = automations.make({ ...facts, name: 'made', action })
  automations.make({ ...facts, name: 'made', description: 'linked', action }, first)
  automations.make({ ...facts, name: 'unsent', action: { type: 'NO_OP', input: { noOp: true } } })
}

function fillRuns(platform: Platform): void {
  const { projects, runs } = platform
  const open = (name: string) => runs.upsert({ ...PROJECT, name }, {}, ADA).run
  const facts = { config: '{"lr": {"value": 0.1}}', tags: ['good'], notes: 'a note', group: 'g' }
  const { run: poem } = runs.upsert({ ...PROJECT, name: 'poem' }, facts, ADA)
  const lines = Array.from({ length: 100 }, (_, step) => `{"_step": ${step}, "loss": ${step / 8}}`)
  runs.log(poem, { history: { offset: 0, lines }, output: { offset: 3, lines: ['hello'] } }, ADA)
  runs.log(poem, { events: { offset: 0, lines: ['{"cpu": 1}'] }, summary: '{"loss": 0.01}' }, ADA)
  const [file] = runs.files.open(poem, ['notes/a.txt', 'b.txt'])
  platform.upload(file!.id, bytesOf('a file of a run'))
  runs.states.finish(open('failed'), 3, ADA)
  runs.states.set(open('crashed'), 'crashed', ADA)
  runs.log(open('preempting'), { preempting: true }, ADA)
  const shared = open('shared')
  const row = { offset: 0, lines: ['{"a": 1}'] }
  runs.log(shared, { writer: 'one', history: row, summary: '{"a": 1}' }, ADA)
  runs.log(shared, { writer: 'two', history: row, events: row, output: row }, ADA)
  runs.states.stop(open('stopping'))
  const history = { offset: 0, lines: ['{"a": 1}', '{"a": 2}'] }
  runs.log(open('again'), { history, complete: true }, ADA)
  open('again')
  runs.delete(open('deleted'))
  projects.revise(projects.get(PROJECT.entity, PROJECT.project), {
    description: 'verses',
    access: 'RESTRICTED',
    views: '{}',
    allowsAllTypes: true,
  })
  projects.addType(projects.open('other-team', 'prose', ADA), 'unused')
}

function fillArtifacts(platform: Platform): void {
  const { artifacts, runs } = platform
  const run = runs.get({ ...PROJECT, name: 'poem' })
  const rows = { ...PROJECT, collection: 'rows', type: 'dataset' }
  const put = (text: string, facts: { clientId?: string; tags?: string[] } = {}) => {
    const files = { 'train.jsonl': bytesOf(text), 'same.txt': bytesOf('the same') }
    return putArtifact(platform, { ...rows, run }, { files, ...facts }, ADA)
  }
  const [first, second, third] = ['one', 'two', 'three'].map((text) => put(text))
  artifacts.addAliases(new Map([[first!.version!, ['best', 'old']]]), ADA)
  artifacts.addAliases(new Map([[third!.version!, ['best']]]), ADA)
  artifacts.revise(third!, { metadata: '{"rows": 3}', description: 'rows', tagsToAdd: ['a'] }, ADA)
  artifacts.use(first!, run)
  const place = { entity: 'local-team', project: 'registry', collection: 'best-rows' }
  artifacts.links.link(first!, { ...place, aliases: ['production'] }, ADA)
  artifacts.links.link(third!, place, ADA)
  artifacts.collections.addTags(third!.source, ['nice'], ADA)
  artifacts.collections.describe(third!.source, 'all rows')
  artifacts.delete(second!, {}, ADA)
  // A collection that is gone, whose artifact clients may still ask for.
  const gone = putArtifact(platform, { ...rows, collection: 'gone' }, { files: {} }, ADA)
  artifacts.deleteCollection(gone.source, ADA)
}

/** Artifacts on their way, one of which was committed with a known content. */
function fillUploads(platform: Platform): void {
  const { artifacts } = platform
  const place = { ...PROJECT, collection: 'rows', type: 'dataset' }
  const files = { 'train.jsonl': 'four' }
  const { text, digest } = manifestOf(files)
  const [four, twin, left] = ['c-1', 'c-2', 'c-3'].map((clientId) => {
    const artifact = artifacts.create(place, { digest, clientId, aliases: [clientId] }, ADA)
    const [file] = artifacts.addFiles([{ artifact, path: 'train.jsonl', digest: md5Of('four') }])
    if (file!.digest === undefined) platform.upload(file!.id, bytesOf('four'))
    const manifest = artifacts.addManifest(artifact, { digest: md5Of(text), path: 'manifest.json' })
    platform.upload(manifest.file.id, bytesOf(text))
    return artifact
  })
  artifacts.commit(four!, ADA)
  artifacts.commit(twin!, ADA)
  // One that can be committed.
  const other = manifestOf({ 'train.jsonl': 'five' })
  const next = artifacts.create(place, { digest: other.digest, clientId: 'c-5' }, ADA)
  const [rows] = artifacts.addFiles([
    { artifact: next, path: 'train.jsonl', digest: md5Of('five') },
  ])
  platform.upload(rows!.id, bytesOf('five'))
  const manifest = { digest: md5Of(other.text), path: 'manifest.json' }
  platform.upload(artifacts.addManifest(next, manifest).file.id, bytesOf(other.text))
  // One that several clients upload together, of which much is missing.
  const more = { digest: md5Of('other'), distributedId: 'd', clientId: 'c-4' }
  const open = artifacts.create({ ...place, collection: 'parts' }, more, ADA)
  artifacts.addFiles([
    { artifact: open, path: 'known.txt', digest: md5Of('four') },
    { artifact: open, path: 'unknown.txt', digest: md5Of('not sent') },
  ])
  artifacts.addManifest(open, { type: 'INCREMENTAL', base: left!, digest: '', path: 'm.json' })
}
