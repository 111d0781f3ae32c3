import {
  buildSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLOutputType,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { AUTOMATION_ACTIONS } from '../../../../src/base/text/vendor/platform-names.js'
import { PLATFORM_SCHEMA } from '../../../../src/base/text/vendor/platform-schema.js'
import type { Emulator } from '../../../../src/index.js'
import { idsIn, integrationID, mutationCases, type Ids } from '../../../emulator/mutation-cases.js'
import { openEmulator } from '../../../emulator/open-emulator.js'
import { fillPlatform } from '../../../emulator/rich-platform.js'
import { selectionOf } from '../../../support/graphql-selection.js'
import { graphql, type GraphqlAnswer } from '../../../support/graphql.js'

/** What is taken and has no effect in the service as the emulator models it, and why. */
const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  'ArtifactAliasInput.artifactCollectionName': 'the mutation says which collection it is about',
  'CreateArtifactFileSpecInput.artifactManifestID': 'a file belongs to its artifact',
  'CreateArtifactFileSpecInput.digest': 'it is the same as md5',
  'CreateArtifactFileSpecInput.mimetype': 'clients tell the kind of a file by its name',
  'CreateArtifactFileSpecInput.storageRegion': 'there are no regions',
  'CreateArtifactFileSpecInput.uploadPartsInput': 'uploadMultipartUrls is null, which says it',
  'CreateArtifactFilesInput.cloudRegionID': 'there are no regions',
  'CreateArtifactInput.enableDigestDeduplication': 'each client asks for it',
  'CreateArtifactInput.labels': 'no client reads labels',
  'CreateArtifactInput.sequenceClientID': 'no client looks for a collection by it',
  'CreateArtifactInput.storageRegion': 'there are no regions',
  'CreateArtifactManifestInput.entityName': 'the id of the artifact says it',
  'CreateArtifactManifestInput.projectName': 'the id of the artifact says it',
  'CreateArtifactManifestInput.runName': 'the artifact knows the run that logged it',
  'CreateArtifactTypeInput.description': 'the client that has it never sends one',
  'DeleteFilesInput.projectId': 'the id of a file says it',
  'MarkRunFilesUploadedInput.files': 'the upload itself is noted',
  'NotificationActionInput.integrationID': 'a team has one channel, and nobody is notified',
  'NotifyScriptableRunAlertInput.severity': 'alerts go to people, and no client reads them',
  'NotifyScriptableRunAlertInput.text': 'alerts go to people, and no client reads them',
  'NotifyScriptableRunAlertInput.title': 'alerts go to people, and no client reads them',
  'NotifyScriptableRunAlertInput.waitDuration': 'alerts go to people, and no client reads them',
  'PushNotificationActionInput.userID': 'nobody is notified, and no client reads it',
  'TagInput.attributes': 'clients send null',
  'TagInput.tagCategoryName': 'clients send null: there are no categories',
  'UpdateArtifactInput.labels': 'no client reads labels',
  'UploadPartsInput.hexMD5': 'uploadMultipartUrls is null, which says it',
  'UploadPartsInput.partNumber': 'uploadMultipartUrls is null, which says it',
  'UpsertBucketInput.debug': 'no client reads it',
  'UpsertBucketInput.jobProgram': 'clients read it from the file of the run about its machine',
  'UpsertBucketInput.jobRepo': 'clients read it from the file of the run about its machine',
  'UpsertModelInput.framework': 'no client reads it',
  'UpsertModelInput.repo': 'no client reads it',
  'UseArtifactInput.artifactEntityName': 'the id of the artifact says it',
  'UseArtifactInput.artifactProjectName': 'the id of the artifact says it',
  'UseArtifactInput.usedAs': 'no client reads it',
}

type Input = Readonly<Record<string, unknown>>

const schema = buildSchema(PLATFORM_SCHEMA)
const mutations = schema.getMutationType()!.getFields()

interface InputField {
  readonly mutation: string
  readonly path: readonly string[]
  readonly type: GraphQLInputType
  /** The type that has it, and its name. */
  readonly id: string
}

/** The fields of the input of each mutation, and those inside of them. */
const FIELDS = Object.values(mutations).flatMap(({ name, args }) =>
  fieldsOf(name, getNamedType(args[0]!.type) as GraphQLInputObjectType, []),
)

function fieldsOf(
  mutation: string,
  owner: GraphQLInputObjectType,
  before: readonly string[],
): InputField[] {
  return Object.values(owner.getFields()).flatMap(({ name, type }) => {
    const path = [...before, name]
    const inside = getNamedType(type)
    const more = isInputObjectType(inside) ? fieldsOf(mutation, inside, path) : []
    return [{ mutation, path, type, id: `${owner.name}.${name}` }, ...more]
  })
}

/** Values that another field of the same type would not have. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  // Some of what is changed has the first one.
  'TagInput.tagName': ['a', 'other'],
}

/** Values that a field may have. At least one of them differs from the one in a call. */
function valuesOf(id: string, type: GraphQLInputType): readonly unknown[] {
  const given = VALUES[id]
  if (given) return given
  const nullable = getNullableType(type)
  if (isListType(nullable)) return valuesOf(id, nullable.ofType).map((each) => [each])
  if (isEnumType(nullable)) return nullable.getValues().map(({ name }) => name)
  if (isInputObjectType(nullable)) return [exampleOf(nullable, 0), exampleOf(nullable, 1)]
  return SCALARS[getNamedType(type).name]!
}

const SCALARS: Readonly<Record<string, readonly unknown[]>> = {
  Boolean: [true, false],
  Int: [1, 2],
  Int64: [1, 2],
  ID: ['other', 'another'],
  String: ['other', 'another'],
  JSONString: ['{"other": 1}', '{"other": 2}'],
  Duration: [1],
}

/** An object with the fields that it must have, or another one that has all. */
function exampleOf(owner: GraphQLInputObjectType, which: 0 | 1 = 0): Input {
  const fields = Object.values(owner.getFields())
  const needed = fields.filter(({ type }) => which === 1 || isNonNullType(type))
  return Object.fromEntries(
    needed.map(({ name, type }) => [name, valuesOf(`${owner.name}.${name}`, type).at(which)]),
  )
}

const NEW_ARTIFACT = {
  entityName: 'local-team',
  projectName: 'verse',
  artifactCollectionNames: ['rows'],
  artifactTypeName: 'dataset',
}

/** An action of each type, with what it needs. */
const ACTIONS = Object.entries(AUTOMATION_ACTIONS).flatMap(([triggeredActionType, { input }]) => {
  // A webhook needs one that is there.
  if (triggeredActionType === 'GENERIC_WEBHOOK') return []
  const config = (schema.getType('TriggeredActionConfig') as GraphQLInputObjectType).getFields()
  const example = exampleOf(config[input]!.type as GraphQLInputObjectType)
  return [{ triggeredActionType, triggeredActionConfig: { [input]: example } }]
})

const SAME_ACTION = { triggeredActionConfig: { genericWebhookActionInput: { integrationID } } }

/** More calls of mutations, for fields that have an effect only with others or without them. */
const MORE: Readonly<Record<string, readonly ((ids: Ids) => object)[]>> = {
  createArtifact: [
    () => ({ ...NEW_ARTIFACT, digest: 'a' }),
    ({ digest }) => ({ ...NEW_ARTIFACT, digest }),
  ],
  linkArtifact: [
    ({ linked: clientID, artifactPortfolioID }) => ({ clientID, artifactPortfolioID }),
  ],
  updateArtifact: [({ tagged: artifactID }) => ({ artifactID })],
  createFilterTrigger: ACTIONS.map((action) => (ids: Ids) => {
    return { ...mutationCases['createFilterTrigger']![0](ids), ...action }
  }),
  updateFilterTrigger: [SAME_ACTION, ...ACTIONS].map((action) => ({ triggerID: id }: Ids) => {
    return { id, ...action }
  }),
}

/** An input with a field that has this value. Undefined: it lacks the field, but has what is around it. */
function withField(
  owner: GraphQLInputObjectType,
  input: Input,
  [name = '', ...rest]: readonly string[],
  value: unknown,
): Input {
  if (rest.length === 0) return value === undefined ? input : { ...input, [name]: value }
  const { type } = owner.getFields()[name]!
  const inside = getNamedType(type) as GraphQLInputObjectType
  const isList = isListType(getNullableType(type))
  const known = isList ? (input[name] as Input[] | undefined)?.[0] : (input[name] as Input)
  const changed = withField(inside, { ...exampleOf(inside), ...known }, rest, value)
  return { ...input, [name]: isList ? [changed] : changed }
}

/** What a client reads after a mutation that it sends twice. */
async function readAfter(mutation: string, inputOf: (ids: Ids) => Input): Promise<string> {
  const emulator = openEmulator()
  fillPlatform(emulator)
  const ids = idsIn(emulator)
  const { args, type } = mutations[mutation]!
  const depth = /FilterTrigger$|Files$/.test(mutation) ? 3 : 2
  const inside = selectionOf(type, depth, { artifact: ids.artifactID })
  const text = `mutation M($input: ${String(args[0]!.type)}) { ${mutation}(input: $input) ${inside} }`
  const input = inputOf(ids)
  const send = async (): Promise<GraphqlAnswer> => {
    const answer = await graphql({ emulator, fetch: emulator.fetch }, text, { input })
    const wrong = answer.errors?.find(({ path }) => path === undefined)
    if (wrong)
      throw new Error(`${mutation} does not read ${JSON.stringify(input)}: ${wrong.message}`)
    return answer
  }
  const read = JSON.stringify([await send(), await send(), await readAll(emulator)])
  // Each world signs the addresses of contents with a secret of its own.
  return read.replaceAll(/(?<=\?signature=)\w+/g, '')
}

/** The values of a type, without what it contains. */
function valuesIn(type: string): string {
  return selectionOf(schema.getType(type) as GraphQLOutputType, 0, { artifact: '' }).slice(1, -1)
}

const ARTIFACTS = `edges { node { ${valuesIn('Artifact')} tags { name } aliases { alias } } }`
const EVERYTHING = `query Everything($name: String!, $entityName: String!) {
  project(name: $name, entityName: $entityName) {
    ${valuesIn('Project')}
    triggers { ${valuesIn('Trigger')} }
    artifactTypes { edges { node { ${valuesIn('ArtifactType')} } } }
    runs(first: 99) { edges { node {
      ${valuesIn('Run')}
      files(first: 99) { edges { node { ${valuesIn('File')} } } }
      inputArtifacts(first: 99) { ${ARTIFACTS} }
      outputArtifacts(first: 99) { ${ARTIFACTS} }
    } } }
    artifactCollections(first: 99) { edges { node {
      ${valuesIn('ArtifactCollection')}
      defaultArtifactType { name }
      tags { edges { node { name } } }
      artifacts(first: 99) { ${ARTIFACTS} }
    } } }
  }
  clientIDMapping(clientID: "new") { serverID }
  entity(name: $entityName) { integrations(first: 99) { edges { node { id } } } }
}`

/** Reads everything that a client can read. */
async function readAll(emulator: Emulator): Promise<unknown[]> {
  const answers: GraphqlAnswer[] = []
  for (const { entity: entityName, name } of emulator.engine.clientPlatform.projects.all()) {
    const caller = { emulator, fetch: emulator.fetch }
    answers.push(await graphql(caller, EVERYTHING, { name, entityName }))
  }
  return answers
}

const known = new Map<string, string>()

/** What is read after a call without the field, the same each time: many fields are compared with it. */
async function readBefore(
  key: string,
  mutation: string,
  inputOf: (ids: Ids) => Input,
): Promise<string> {
  const before = known.get(key)
  if (before !== undefined) return before
  const read = await readAfter(mutation, inputOf)
  expect(await readAfter(mutation, inputOf)).toBe(read)
  known.set(key, read)
  return read
}

describe('a field of the input of a mutation', () => {
  it('has an effect, or a reason to have none', () => {
    const ids = FIELDS.map(({ id }) => id)
    expect(ids).toEqual(expect.arrayContaining(Object.keys(WITHOUT_EFFECT)))
  })

  it.each(
    FIELDS.filter(({ id }) => !(id in WITHOUT_EFFECT)).map((each) => ({
      ...each,
      name: [each.mutation, ...each.path].join('.'),
    })),
  )('changes what is read, or is refused: $name ($id)', async ({ mutation, path, type, id }) => {
    const owner = getNamedType(mutations[mutation]!.args[0]!.type) as GraphQLInputObjectType
    const named = getNamedType(type)
    // The schema refuses every other value.
    if (isEnumType(named) && named.getValues().length === 1) return
    const bases = [mutationCases[mutation]![0], ...(MORE[mutation] ?? [])]
    for (const [index, base] of bases.entries()) {
      const call = (value: unknown) => (ids: Ids) => {
        return withField(owner, base(ids) as Input, path, value)
      }
      const key = [mutation, index, ...path.slice(0, -1)].join(' ')
      const before = await readBefore(key, mutation, call(undefined))
      // A call that is refused without the field tells nothing about it.
      if ((JSON.parse(before) as GraphqlAnswer[])[0]!.errors) continue
      for (const value of valuesOf(id, type)) {
        if ((await readAfter(mutation, call(value))) !== before) return
      }
    }
    expect.fail(
      `${id} of ${mutation} has no effect. Give it one, refuse it, or say in WITHOUT_EFFECT why.`,
    )
  })
})
