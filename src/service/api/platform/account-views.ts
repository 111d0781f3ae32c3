import {
  ORGANIZATION_ID_FIELD,
  REGISTRY_PREFIX,
  TEAM_AUTOMATIONS_FLAG,
} from '../../../base/text/vendor/platform-names.js'
import { automationPage, integrationPage } from './automation-views.js'
import {
  checkEntity,
  idOf,
  organizationEntityId,
  projectNamed,
  type PlatformCall,
  type View,
  viewOf,
} from './call.js'
import { nodesOf, type ListArguments, type PageArguments } from './connection.js'
import { collectionValue, versionValue } from './collection-view.js'
import { fieldNamed, selected } from './filter.js'
import type { ArtifactCollection } from '../../platform/artifact.js'
import type { Project } from '../../platform/project.js'

/** The user of a key, or of a record. */
export function userView(name: string, { account, views }: PlatformCall): View {
  return {
    __typename: 'User',
    id: idOf('User', name),
    name,
    username: name,
    email: `${name}@example.com`,
    admin: false,
    flags: '{}',
    entity: account.entity,
    deletedAt: null,
    apiKeys: { edges: [] },
    teams: () => ({ edges: [{ node: views.entity(account.entity) }] }),
    organizations: () => [views.organization(account.entity)],
    projects: views.entity(account.entity)['projects'],
  }
}

interface RegistryArguments extends ListArguments {
  readonly projectFilters?: string | null
  readonly collectionFilters?: string | null
  readonly collectionTypes?: readonly string[] | null
}

/** A team or a user that owns projects. Registries are projects of it, too. */
export function entityView(
  name: string,
  call: PlatformCall,
  isWanted: (project: Project) => boolean = () => true,
): View {
  const { platform, views, reading } = call
  const projects = (wanted: ListArguments): readonly Project[] => {
    return selected(platform.projects.of(name).filter(isWanted), wanted, projectValue, reading)
  }
  const collections = ({
    projectFilters,
    collectionTypes,
  }: RegistryArguments): ArtifactCollection[] =>
    projects({ filters: projectFilters ?? null })
      .flatMap((project) => [...project.collections.values()])
      .filter(({ kind }) => {
        return collectionTypes?.includes(kind === 'source' ? 'SEQUENCE' : 'PORTFOLIO') ?? true
      })
  return {
    __typename: 'Entity',
    id: idOf('Entity', name),
    name,
    entityType: 'team',
    isTeam: true,
    available: false,
    organization: () => views.organization(name),
    user: null,
    ...TEAM_FACTS,
    members: () => (name === call.account.entity ? [memberView(call)] : []),
    integrations: (page: PageArguments) => integrationPage(name, page, call),
    triggers: (wanted: ListArguments) => automationPage(name, wanted, call),
    xxhashDigestsEnabled: false,
    project: (named: { name?: string | null }) => {
      return viewOf(projectNamed(call, { ...named, entityName: name }), views.project)
    },
    projects: (wanted: ListArguments) => nodesOf(projects(wanted), wanted, views.project),
    artifactCollections: (wanted: RegistryArguments) => {
      const found = selected(collections(wanted), wanted, collectionValue, reading)
      return nodesOf(found, wanted, views.collection)
    },
    artifactMemberships: (wanted: RegistryArguments) => {
      const filters = wanted.collectionFilters ?? null
      const found = selected(collections(wanted), { filters }, collectionValue, reading)
      const members = found.flatMap((collection) => [...collection.members])
      const versions = selected(members, wanted, versionValue, reading)
      return nodesOf(versions, wanted, views.version)
    },
  }
}

/** The one user of a team that is known: who asks. */
function memberView({ account: { user }, views }: PlatformCall): View {
  const { id, name, username, email, admin } = views.user(user)
  return { id, name, username, email, admin, pending: false, accountType: 'USER' }
}

/** What a client shows of a team. None of it has an effect. */
const TEAM_FACTS = {
  photoUrl: null,
  readOnly: false,
  readOnlyAdmin: false,
  privateOnly: false,
  storageBytes: 0,
  codeSavingEnabled: true,
  defaultAccess: 'PRIVATE',
  isPaid: true,
}

function projectValue(project: Project, path: string): unknown {
  const name = fieldNamed(path)
  if (name === 'id' || name === 'name' || name === 'description') return project[name]
  return name === 'createdAt' || name === 'updatedAt' ? new Date(project.createdAt) : undefined
}

function isRegistry({ name }: Project): boolean {
  return name.startsWith(REGISTRY_PREFIX)
}

/** The entity of an organization. Its projects are registries. */
export function organizationEntityView(name: string, call: PlatformCall): View {
  return {
    ...entityView(checkEntity(call, name), call, isRegistry),
    id: organizationEntityId(name),
    entityType: 'organization',
    isTeam: false,
  }
}

/** The organization of an entity. Each entity is one of its own. */
export function organizationView(name: string, call: PlatformCall): View {
  return {
    id: idOf('Organization', name),
    name,
    orgEntity: () => call.views.organizationEntity(name),
    triggers: (wanted: ListArguments) => automationPage(checkEntity(call, name), wanted, call),
    [ORGANIZATION_ID_FIELD]: null,
    featureFlags: [{ rampKey: TEAM_AUTOMATIONS_FLAG, isEnabled: true }],
    advancedRegistryFeatures: { advancedSearch: false },
  }
}
