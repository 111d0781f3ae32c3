import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { buildSchema } from 'graphql'
import { describe, expect, it, onTestFinished } from 'vitest'
import { PLATFORM_SCHEMA } from '../../../../src/base/text/vendor/platform-schema.js'
import { createEmulator, type Emulator } from '../../../../src/index.js'
import { idOf } from '../../../../src/service/api/platform/call.js'
import { graphql } from '../../../support/graphql.js'
import { md5Of } from '../../../support/platform-records.js'
import { fillPlatform } from '../../rich-platform.js'
import { opened, type Opened } from '../../../support/snapshots.js'
import { temporaryFolder } from '../../../support/temporary-folder.js'

const mutations = Object.values(buildSchema(PLATFORM_SCHEMA).getMutationType()!.getFields())

/** A world on disk that has runs and artifacts of all kinds. */
async function filledWorld(data: string): Promise<Emulator> {
  const emulator = createEmulator({ data, clock: 'manual' })
  onTestFinished(() => emulator.close())
  await emulator.ready()
  fillPlatform(emulator)
  // All of this is saved first, so that the call saves only its own change.
  await setImmediate()
  await setImmediate()
  return emulator
}

type Platform = Emulator['engine']['platform']

const PROJECT = { entityName: 'local-team', projectName: 'verse' }
const COLLECTION = { ...PROJECT, artifactCollectionName: 'rows' }
const REGISTRY = { entityName: 'local-team', projectName: 'registry' }

const runOf = ({ runs }: Platform, name: string) => {
  return runs.get({ entity: 'local-team', project: 'verse', name })
}
const collectionOf = ({ projects }: Platform, project: string, name: string) => {
  return projects.collectionNamed('local-team', project, name)!
}
const versionOf = (platform: Platform, index: number) => {
  return collectionOf(platform, 'verse', 'rows').find(`v${index}`)!.artifact
}
const pending = ({ artifacts }: Platform, clientId: string) => artifacts.withClientId(clientId)!

type Automations = NonNullable<Emulator['engine']['automations']>

const madeId = ({ made }: Automations) => [...made].find(({ name }) => name === 'made')!.id
const integrationID = idOf('GenericWebhookIntegration', 'made-hook')

interface Case {
  input: (platform: Platform, automations: Automations) => object
  /** Why the call leaves nothing to save, for those that do not. */
  savesNothing?: string
}

/** A call of each mutation. */
const cases: Readonly<Record<string, Case>> = {
  upsertBucket: { input: () => ({ modelName: 'new', name: 'poem', config: '{"a": 1}' }) },
  upsertModel: { input: () => ({ name: 'verse', description: 'other' }) },
  deleteRun: { input: (platform) => ({ id: runOf(platform, 'poem').id, deleteArtifacts: true }) },
  updateRunState: { input: (platform) => ({ id: runOf(platform, 'poem').id, state: 'killed' }) },
  stopRun: { input: (platform) => ({ id: runOf(platform, 'poem').id }) },
  createRunFiles: { input: () => ({ ...PROJECT, runName: 'poem', files: ['new.txt'] }) },
  markRunFilesUploaded: {
    input: () => ({ ...PROJECT, runName: 'poem', files: [] }),
    savesNothing: 'the upload itself is saved',
  },
  deleteFiles: {
    input: (platform) => ({
      files: [...runOf(platform, 'poem').files.values()].map(({ id }) => id),
    }),
  },
  notifyScriptableRunAlert: {
    input: () => ({ ...PROJECT, runName: 'poem', title: 'a', text: 'b' }),
    savesNothing: 'it is dropped',
  },
  createArtifactType: { input: () => ({ ...PROJECT, name: 'new' }) },
  createArtifact: {
    input: () => ({ ...COLLECTION, artifactTypeName: 'dataset', digest: 'a', clientID: 'new' }),
  },
  createArtifactManifest: {
    input: (platform) => ({
      ...PROJECT,
      artifactID: pending(platform, 'c-3').id,
      runName: 'poem',
      name: 'other.json',
      digest: '',
    }),
  },
  updateArtifactManifest: {
    input: (platform) => ({
      artifactManifestID: pending(platform, 'c-4').manifests[0]!.id,
      digest: md5Of('other'),
    }),
  },
  createArtifactFiles: {
    input: (platform) => ({
      artifactFiles: [{ artifactID: pending(platform, 'c-3').id, name: 'b', md5: md5Of('b') }],
    }),
  },
  commitArtifact: { input: (platform) => ({ artifactID: pending(platform, 'c-5').id }) },
  useArtifact: {
    input: (platform) => ({ ...PROJECT, artifactID: versionOf(platform, 0).id, runName: 'failed' }),
  },
  updateArtifact: {
    input: (platform) => ({
      artifactID: versionOf(platform, 0).id,
      description: 'other',
      metadata: '{"a": 1}',
      aliases: [{ artifactCollectionName: 'rows', alias: 'best' }],
      tagsToAdd: [{ tagName: 'other' }],
    }),
  },
  linkArtifact: {
    input: (platform) => ({
      ...REGISTRY,
      clientID: versionOf(platform, 3).clientId,
      artifactPortfolioName: 'best-rows',
      aliases: [{ artifactCollectionName: 'best-rows', alias: 'production' }],
    }),
  },
  addAliases: {
    input: (platform) => ({
      artifactID: versionOf(platform, 0).id,
      aliases: [{ ...COLLECTION, alias: 'best' }],
    }),
  },
  deleteAliases: {
    input: (platform) => ({
      artifactID: versionOf(platform, 0).id,
      aliases: [{ ...COLLECTION, alias: 'old' }],
    }),
  },
  unlinkArtifact: {
    input: (platform) => ({
      artifactID: versionOf(platform, 0).id,
      artifactPortfolioID: collectionOf(platform, 'registry', 'best-rows').id,
    }),
  },
  deleteArtifact: {
    input: (platform) => ({ artifactID: versionOf(platform, 0).id, deleteAliases: true }),
  },
  updateArtifactSequence: {
    input: (platform) => ({
      artifactSequenceID: collectionOf(platform, 'verse', 'rows').id,
      name: 'lines',
      description: 'other',
    }),
  },
  updateArtifactPortfolio: {
    input: (platform) => ({
      artifactPortfolioID: collectionOf(platform, 'registry', 'best-rows').id,
      description: 'other',
    }),
  },
  moveArtifactSequence: {
    input: (platform) => ({
      artifactSequenceID: collectionOf(platform, 'verse', 'rows').id,
      destinationArtifactTypeName: 'other',
    }),
  },
  deleteArtifactSequence: {
    input: (platform) => ({ artifactSequenceID: collectionOf(platform, 'verse', 'rows').id }),
  },
  deleteArtifactPortfolio: {
    input: (platform) => ({
      artifactPortfolioID: collectionOf(platform, 'registry', 'best-rows').id,
    }),
  },
  createArtifactCollectionTagAssignments: {
    input: () => ({ ...COLLECTION, tags: [{ tagName: 'other' }] }),
  },
  deleteArtifactCollectionTagAssignments: {
    input: () => ({ ...COLLECTION, tags: [{ tagName: 'nice' }] }),
  },
  createFilterTrigger: {
    input: (platform) => ({
      name: 'new',
      enabled: true,
      scopeType: 'ARTIFACT_COLLECTION',
      scopeID: collectionOf(platform, 'verse', 'rows').id,
      triggeringEventType: 'CREATE_ARTIFACT',
      eventFilter: '{"$or":[{"$and":[]}]}',
      triggeredActionType: 'GENERIC_WEBHOOK',
      triggeredActionConfig: { genericWebhookActionInput: { integrationID } },
    }),
  },
  updateFilterTrigger: {
    input: (_platform, automations) => ({ id: madeId(automations), enabled: false }),
  },
  deleteTrigger: { input: (_platform, automations) => ({ triggerID: madeId(automations) }) },
  createGenericWebhookIntegration: {
    input: () => ({
      entityName: 'local-team',
      name: 'new hook',
      urlEndpoint: 'http://receiver.test/',
    }),
  },
}

async function stateOf(emulator: Emulator): Promise<Opened> {
  return opened(await emulator.snapshot())
}

describe('every acknowledged mutation is on disk when the process is killed', () => {
  it('there is a case for each mutation', () => {
    expect(Object.keys(cases).sort()).toEqual(mutations.map(({ name }) => name).sort())
  })

  it.each(Object.entries(cases))('%s', async (name, { input, savesNothing }) => {
    const data = temporaryFolder()
    const emulator = await filledWorld(data)
    const before = await stateOf(emulator)
    const { type } = mutations.find((each) => each.name === name)!.args[0]!
    const query = `mutation M($input: ${type.toString()}) { ${name}(input: $input) { __typename } }`
    const caller = { emulator, fetch: emulator.fetch }
    const { platform, automations } = emulator.engine
    const answer = await graphql(caller, query, { input: input(platform, automations!) })
    expect(answer.errors).toBeUndefined()
    const left = temporaryFolder()
    cpSync(data, left, { recursive: true, filter: (path) => path !== join(data, 'lock') })
    const answered = await stateOf(emulator)
    if (savesNothing === undefined) expect(answered).not.toEqual(before)
    else expect(answered).toEqual(before)

    const next = createEmulator({ data: left, clock: 'manual' })
    onTestFinished(() => next.close())
    expect(await stateOf(next)).toEqual(answered)
  })
})
