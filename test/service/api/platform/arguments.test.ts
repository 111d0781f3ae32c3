import {
  buildSchema,
  isInterfaceType,
  isNonNullType,
  isObjectType,
  type GraphQLField,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { OWN_CONFIG, REGISTRY_PREFIX } from '../../../../src/base/text/vendor/platform-names.js'
import { PLATFORM_SCHEMA } from '../../../../src/base/text/vendor/platform-schema.js'
import { idsIn } from '../../../emulator/mutation-cases.js'
import { openEmulator } from '../../../emulator/open-emulator.js'
import { fillPlatform } from '../../../emulator/rich-platform.js'
import { selectionOf } from '../../../support/graphql-selection.js'
import { graphql } from '../../../support/graphql.js'

const AUTHOR = { user: 'ada' }
const ENTITY = 'local-team'
const REGISTRY = `${REGISTRY_PREFIX}model`

/** What an argument does not change, and why. */
const WITHOUT_EFFECT: Readonly<Record<string, string>> = {
  'Artifact.filesByManifestEntries(storageLayout)': 'all contents have one layout',
  'Artifact.filesByManifestEntries(manifestVersion)': 'all manifests have one version',
  'Artifact.filesByManifestEntries(storageRegion)': 'there are no regions',
  'Organization.featureFlags(rampIDType)': 'a flag is on for everybody',
  'Project.artifact(enableTracking)': 'only useArtifact notes a use',
  'Project.artifactTypes(includeAll)': 'there are no types besides those of the project',
  'Project.bucket(missingOk)': 'clients take null in both cases',
  'Run.files(upload)': 'the url of each file has an argument for it',
  'Run.logLines(useImprovedPagination)': 'pages are exact in both cases',
  'Run.parquetHistory(liveKeys)': 'there are no such files, so no rows are newer than they',
}

/** Two values of each argument, with which the answers differ. Undefined: left out. */
const VALUES: Readonly<Record<string, readonly [unknown, unknown]>> = {
  after: [btoa('place:1'), undefined],
  aliasName: ['latest', 'nothing'],
  clientID: ['c-5', 'nothing'],
  collectionFilters: ['{"$nor":[{}]}', undefined],
  collectionTypes: [['SEQUENCE'], ['PORTFOLIO']],
  entityName: [ENTITY, 'nobody'],
  entries: [[{ name: 'nothing', digest: '' }], undefined],
  filters: ['{"$nor":[{}]}', undefined],
  first: [0, 1],
  keys: [['one'], undefined],
  last: [1, undefined],
  maxStep: [1, undefined],
  minStep: [1, undefined],
  names: [['nothing'], undefined],
  order: ['+created_at', '-created_at'],
  pattern: ['nothing', undefined],
  projectFilters: ['{"$nor":[{}]}', undefined],
  samples: [1, undefined],
  specs: [['{"keys":["loss"]}'], []],
  upload: [true, false],
}

/** How a client comes to an object of each type, and the values of the arguments that name something there. */
interface Place {
  readonly path: readonly string[]
  readonly names?: Readonly<Record<string, string>>
}

/** A world that has at least two of all that is listed. */
function populated() {
  const emulator = openEmulator()
  fillPlatform(emulator)
  const { artifacts, projects, runs } = emulator.engine.platformWithCheckpoints()
  const lines = ['{"_step":0}', '{"_step":1}']
  const stream = { offset: 0, lines }
  const config = JSON.stringify({ [OWN_CONFIG]: { value: { one: 1, two: 2 } } })
  const place = { entity: ENTITY, project: 'verse', name: 'poem' }
  const { run: poem } = runs.upsert(place, { config }, AUTHOR)
  runs.log(poem, { events: stream, output: stream }, AUTHOR)
  const [first, , third] = projects.collectionNamed(ENTITY, 'verse', 'rows')!.members
  const linked = [first!, third!].flatMap(({ artifact }) => {
    artifacts.use(artifact, poem)
    return ['links', 'others'].map((collection) => {
      const registry = { entity: ENTITY, project: REGISTRY, collection, aliases: ['prod'] }
      return artifacts.links.link(artifact, registry, AUTHOR).collection
    })
  })
  for (const collection of [first!.collection, linked[0]!]) {
    artifacts.collections.addTags(collection, ['good', 'bad'], AUTHOR)
  }
  const { artifactID, artifactSequenceID } = idsIn(emulator)
  const ids = { artifact: artifactID, rows: artifactSequenceID, links: linked[0]!.id }
  return { caller: { emulator, fetch: emulator.fetch }, ids, places: placesIn(ids) }
}

function placesIn(ids: {
  artifact: string
  rows: string
  links: string
}): Readonly<Record<string, Place>> {
  const project = `project(name: "verse", entityName: "${ENTITY}")`
  const run = [project, 'run(name: "poem")']
  const collection = [`artifactCollection(id: "${ids.rows}")`]
  const version = `artifact(id: "${ids.artifact}")`
  return {
    Query: {
      path: [],
      names: {
        name: 'verse',
        'entity(name)': ENTITY,
        'organization(name)': ENTITY,
        'artifact(id)': ids.artifact,
        'artifactCollection(id)': ids.rows,
      },
    },
    User: { path: ['viewer'] },
    Entity: { path: [`entity(name: "${ENTITY}")`], names: { name: 'verse' } },
    Organization: { path: [`organization(name: "${ENTITY}")`] },
    Project: {
      path: [project],
      names: {
        name: 'rows',
        'run(name)': 'poem',
        'bucket(name)': 'poem',
        'artifact(name)': 'rows:v0',
        'artifactCollectionMembership(name)': 'rows:v0',
        'artifactType(name)': 'dataset',
      },
    },
    Run: { path: run },
    File: { path: [...run, 'files', 'edges', 'node'] },
    Artifact: { path: [version] },
    ArtifactType: {
      path: [project, 'artifactType(name: "dataset")'],
      names: { name: 'rows', 'artifact(name)': 'rows:v0' },
    },
    ArtifactCollection: { path: collection },
    ArtifactSequence: { path: [...collection, '... on ArtifactSequence'] },
    ArtifactPortfolio: {
      path: [`artifactCollection(id: "${ids.links}")`, '... on ArtifactPortfolio'],
    },
    ArtifactCollectionMembership: {
      path: [...collection, 'artifactMembership(aliasName: "latest")'],
    },
  }
}

type Field = GraphQLField<unknown, unknown>

const schema = buildSchema(PLATFORM_SCHEMA)

const DECLARED = Object.values(schema.getTypeMap()).flatMap((type) => {
  if (!isObjectType(type) && !isInterfaceType(type)) return []
  if (type.name.startsWith('__') || type === schema.getMutationType()) return []
  return Object.values(type.getFields()).flatMap((field) =>
    field.args.map(({ name }) => ({
      type: type.name,
      field,
      name,
      id: `${type.name}.${field.name}(${name})`,
    })),
  )
})

/** A value in a query. Enums have no quotes. */
function literal(value: unknown, isEnum: boolean): string {
  if (Array.isArray(value)) return `[${value.map((each) => literal(each, isEnum)).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    return `{ ${Object.entries(value)
      .map(([key, each]) => `${key}: ${literal(each, false)}`)
      .join(', ')} }`
  }
  return isEnum ? String(value) : JSON.stringify(value)
}

/** A query for all that a field has with these arguments. */
function queryOf(
  { path }: Place,
  { name, type }: Field,
  { given, artifact }: { given: Readonly<Record<string, unknown>>; artifact: string },
) {
  const args = Object.entries(given).filter(([, value]) => value !== undefined)
  const texts = args.map(([key, value]) => `${key}: ${literal(value, key === 'collectionTypes')}`)
  const call = texts.length > 0 ? `(${texts.join(', ')})` : ''
  const asked = `${name}${call} ${selectionOf(type, 3, { artifact })}`
  return `{ ${path.reduceRight((inside, each) => `${each} { ${inside} }`, asked)} }`
}

describe('an argument of the schema of runs and artifacts', () => {
  it('has an effect, or a reason to have none', () => {
    const known = DECLARED.map(({ id }) => id)
    expect(known).toEqual(expect.arrayContaining(Object.keys(WITHOUT_EFFECT)))
  })

  it.each(DECLARED.filter(({ id }) => !(id in WITHOUT_EFFECT)))(
    'changes the answer: $id',
    async ({ type, field, name, id }) => {
      const { caller, ids, places } = populated()
      const place = places[type]
      if (!place) throw new Error(`Say how a client comes to ${type}, so that ${id} is tested.`)
      const named = (arg: string): readonly [unknown, unknown] | undefined => {
        const value = place.names?.[`${field.name}(${arg})`] ?? place.names?.[arg]
        return value === undefined ? VALUES[arg] : [value, 'nothing']
      }
      const needed = field.args.filter((arg) => isNonNullType(arg.type) || arg.name === 'name')
      const base = Object.fromEntries(
        needed.map((arg) => [arg.name, named(arg.name)?.[0] ?? 'any']),
      )
      const values = named(name)
      if (!values) throw new Error(`Give ${id} two values whose answers differ.`)
      const ask = (value: unknown) =>
        graphql(caller, queryOf(place, field, { given: { ...base, [name]: value }, ...ids }))
      const [one, two] = [await ask(values[0]), await ask(values[1])]
      expect(one.errors).toBeUndefined()
      expect(one).not.toEqual(two)
    },
  )
})

/** What the SDK for Python lets a program filter registries by, without the advanced search. */
it.each([
  ['projectFilters', ['id', 'name', 'description', 'created_at', 'updated_at']],
  [
    'collectionFilters',
    ['artifact_collection_id', 'name', 'tag', 'description', 'created_at', 'updated_at'],
  ],
  ['filters', ['id', 'version', 'tag', 'alias', 'metadata', 'created_at', 'updated_at']],
])('versions of registries are found by all %s of the SDK', async (argument, keys) => {
  const { caller } = populated()
  for (const key of keys) {
    const filter = JSON.stringify(JSON.stringify({ [key]: { $exists: true } }))
    const memberships = `artifactMemberships(${argument}: ${filter}) { totalCount }`
    const text = `{ organization(name: "${ENTITY}") { orgEntity { ${memberships} } } }`
    const { data } = await graphql(caller, text)
    expect([key, data.organization.orgEntity.artifactMemberships.totalCount]).toEqual([key, 4])
  }
})
