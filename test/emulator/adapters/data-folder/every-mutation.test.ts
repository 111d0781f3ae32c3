import { setImmediate } from 'node:timers/promises'
import { buildSchema } from 'graphql'
import { describe, expect, it } from 'vitest'
import { PLATFORM_SCHEMA } from '../../../../src/base/text/vendor/platform-schema.js'
import type { Emulator } from '../../../../src/index.js'
import { idOf } from '../../../../src/service/api/platform/call.js'
import { graphql } from '../../../support/graphql.js'
import { md5Of } from '../../../support/platform-records.js'
import { fillPlatform } from '../../rich-platform.js'
import { opened, type Opened } from '../../../support/snapshots.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'
import { leftBy } from './world-on-disk.js'
import { openEmulator } from '../../open-emulator.js'

const mutations = Object.values(buildSchema(PLATFORM_SCHEMA).getMutationType()!.getFields())

/** A world on disk that has runs and artifacts of all kinds. */
async function filledWorld(data: string): Promise<Emulator> {
  const emulator = openEmulator({ data })
  await emulator.ready()
  fillPlatform(emulator)
  // All of this is saved first, so that the call saves only its own change.
  await setImmediate()
  await setImmediate()
  return emulator
}

const PROJECT = { entityName: 'local-team', projectName: 'verse' }
const COLLECTION = { ...PROJECT, artifactCollectionName: 'rows' }
const REGISTRY = { entityName: 'local-team', projectName: 'registry' }
const TAGS = { tags: [{ tagName: 'other' }] }
const integrationID = idOf('GenericWebhookIntegration', 'made-hook')

/** The ids of what mutations change. */
function idsIn({ engine }: Emulator) {
  const { automations } = engine
  const { projects, runs, artifacts } = engine.platformWithCheckpoints()
  const rows = projects.collectionNamed('local-team', 'verse', 'rows')!
  const poem = runs.get({ entity: 'local-team', project: 'verse', name: 'poem' })
  const pending = (clientId: string) => artifacts.withClientId(clientId)!
  return {
    id: poem.id,
    files: [...poem.files.values()].map((file) => file.id),
    artifactID: rows.find('v0')!.artifact.id,
    linked: rows.find('v3')!.artifact.clientId,
    artifactSequenceID: rows.id,
    artifactPortfolioID: projects.collectionNamed('local-team', 'registry', 'best-rows')!.id,
    open: pending('c-3').id,
    artifactManifestID: pending('c-4').manifests[0]!.id,
    complete: pending('c-5').id,
    triggerID: [...automations!.made].find(({ name }) => name === 'made')!.id,
  }
}

type Ids = ReturnType<typeof idsIn>

/** A call of each mutation, and why it leaves nothing to save, for those that do not. */
const cases: Readonly<Record<string, readonly [input: (ids: Ids) => object, nothing?: string]>> = {
  upsertBucket: [() => ({ modelName: 'new', name: 'poem', config: '{"a": 1}' })],
  upsertModel: [() => ({ name: 'verse', description: 'other' })],
  deleteRun: [({ id }) => ({ id, deleteArtifacts: true })],
  updateRunState: [({ id }) => ({ id, state: 'killed' })],
  stopRun: [({ id }) => ({ id })],
  createRunFiles: [() => ({ ...PROJECT, runName: 'poem', files: ['new.txt'] })],
  markRunFilesUploaded: [
    () => ({ ...PROJECT, runName: 'poem', files: [] }),
    'the upload itself is saved',
  ],
  deleteFiles: [({ files }) => ({ files })],
  notifyScriptableRunAlert: [
    () => ({ ...PROJECT, runName: 'poem', title: 'a', text: 'b' }),
    'it is dropped',
  ],
  createArtifactType: [() => ({ ...PROJECT, name: 'new' })],
  createArtifact: [
    () => ({ ...COLLECTION, artifactTypeName: 'dataset', digest: 'a', clientID: 'new' }),
  ],
  createArtifactManifest: [
    ({ open: artifactID }) => {
      return { ...PROJECT, artifactID, runName: 'poem', name: 'other.json', digest: '' }
    },
  ],
  updateArtifactManifest: [
    ({ artifactManifestID }) => ({ artifactManifestID, digest: md5Of('other') }),
  ],
  createArtifactFiles: [
    ({ open: artifactID }) => ({ artifactFiles: [{ artifactID, name: 'b', md5: md5Of('b') }] }),
  ],
  commitArtifact: [({ complete: artifactID }) => ({ artifactID })],
  useArtifact: [({ artifactID }) => ({ ...PROJECT, artifactID, runName: 'failed' })],
  updateArtifact: [
    ({ artifactID }) => ({
      artifactID,
      description: 'other',
      metadata: '{"a": 1}',
      aliases: [{ artifactCollectionName: 'rows', alias: 'best' }],
      tagsToAdd: TAGS.tags,
    }),
  ],
  linkArtifact: [
    ({ linked: clientID }) => ({
      ...REGISTRY,
      clientID,
      artifactPortfolioName: 'best-rows',
      aliases: [{ artifactCollectionName: 'best-rows', alias: 'production' }],
    }),
  ],
  addAliases: [({ artifactID }) => ({ artifactID, aliases: [{ ...COLLECTION, alias: 'best' }] })],
  deleteAliases: [({ artifactID }) => ({ artifactID, aliases: [{ ...COLLECTION, alias: 'old' }] })],
  unlinkArtifact: [({ artifactID, artifactPortfolioID }) => ({ artifactID, artifactPortfolioID })],
  deleteArtifact: [({ artifactID }) => ({ artifactID, deleteAliases: true })],
  updateArtifactSequence: [
    ({ artifactSequenceID }) => ({ artifactSequenceID, name: 'lines', description: 'other' }),
  ],
  updateArtifactPortfolio: [
    ({ artifactPortfolioID }) => ({ artifactPortfolioID, description: 'other' }),
  ],
  moveArtifactSequence: [
    ({ artifactSequenceID }) => ({ artifactSequenceID, destinationArtifactTypeName: 'other' }),
  ],
  deleteArtifactSequence: [({ artifactSequenceID }) => ({ artifactSequenceID })],
  deleteArtifactPortfolio: [({ artifactPortfolioID }) => ({ artifactPortfolioID })],
  createArtifactCollectionTagAssignments: [() => ({ ...COLLECTION, ...TAGS })],
  deleteArtifactCollectionTagAssignments: [() => ({ ...COLLECTION, tags: [{ tagName: 'nice' }] })],
  createFilterTrigger: [
    ({ artifactSequenceID: scopeID }) => ({
      name: 'new',
      enabled: true,
      scopeType: 'ARTIFACT_COLLECTION',
      scopeID,
      triggeringEventType: 'CREATE_ARTIFACT',
      eventFilter: '{"$or":[{"$and":[]}]}',
      triggeredActionType: 'GENERIC_WEBHOOK',
      triggeredActionConfig: { genericWebhookActionInput: { integrationID } },
    }),
  ],
  updateFilterTrigger: [({ triggerID: id }) => ({ id, enabled: false })],
  deleteTrigger: [({ triggerID }) => ({ triggerID })],
  createGenericWebhookIntegration: [
    () => ({ entityName: 'local-team', name: 'new hook', urlEndpoint: 'http://receiver.test/' }),
  ],
}

async function stateOf(emulator: Emulator): Promise<Opened> {
  return opened(await emulator.snapshot())
}

describe('every acknowledged mutation is on disk when the process is killed', () => {
  it('there is a case for each mutation', () => {
    expect(Object.keys(cases).sort()).toEqual(mutations.map(({ name }) => name).sort())
  })

  it.each(Object.entries(cases))('%s', async (name, [input, nothing]) => {
    const data = temporaryFolder()
    const emulator = await filledWorld(data)
    const before = await stateOf(emulator)
    const { type } = mutations.find((each) => each.name === name)!.args[0]!
    const query = `mutation M($input: ${type.toString()}) { ${name}(input: $input) { __typename } }`
    const caller = { emulator, fetch: emulator.fetch }
    const answer = await graphql(caller, query, { input: input(idsIn(emulator)) })
    expect(answer.errors).toBeUndefined()
    const left = leftBy(data)
    const answered = await stateOf(emulator)
    if (nothing === undefined) expect(answered).not.toEqual(before)
    else expect(answered).toEqual(before)

    const next = openEmulator({ data: left })
    expect(await stateOf(next)).toEqual(answered)
  })
})
