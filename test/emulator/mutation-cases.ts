import type { Emulator } from '../../src/index.js'
import { idOf } from '../../src/service/api/platform/call.js'
import { md5Of } from '../support/platform-records.js'

const PROJECT = { entityName: 'local-team', projectName: 'verse' }
const COLLECTION = { ...PROJECT, artifactCollectionName: 'rows' }
const REGISTRY = { entityName: 'local-team', projectName: 'registry' }
const TAGS = { tags: [{ tagName: 'other' }] }
export const integrationID = idOf('GenericWebhookIntegration', 'made-hook')

/** The ids of what mutations change. */
export interface Ids {
  readonly id: string
  readonly files: readonly string[]
  readonly artifactID: string
  readonly linked: string | undefined
  readonly artifactSequenceID: string
  readonly artifactPortfolioID: string
  readonly open: string
  readonly artifactManifestID: string
  readonly complete: string
  readonly digest: string
  readonly tagged: string
  readonly triggerID: string
}

/** The ids in a world that `fillPlatform` filled. */
export function idsIn({ engine }: Emulator): Ids {
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
    digest: rows.newest!.artifact.digest,
    tagged: rows.find('v2')!.artifact.id,
    triggerID: [...automations!.made].find(({ name }) => name === 'made')!.id,
  }
}

/** A call of each mutation, and why it leaves nothing to save, for those that do not. */
export const mutationCases: Readonly<
  Record<string, readonly [input: (ids: Ids) => object, nothing?: string]>
> = {
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
