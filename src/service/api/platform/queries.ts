import { SERVER_FEATURES } from '../../../base/text/vendor/platform-names.js'
import {
  artifactWithId,
  checkEntity,
  entityOf,
  projectNamed,
  type PlatformCall,
  type View,
  viewOf,
} from './call.js'
import { nodesOf, type PageArguments } from './connection.js'

interface NamedProject {
  readonly name?: string | null
  readonly entityName?: string | null
}

/** The versions of the SDK that the server knows. Older ones choose their queries by it. */
const CLIENT_VERSIONS = { min_cli_version: '0.8.0', max_cli_version: '0.99.0' }

/** The fields of `Query`. */
export function queryRoot(call: PlatformCall): View {
  const { platform, account, views } = call
  const project = (named: NamedProject): View | null =>
    viewOf(projectNamed(call, named), views.project)
  return {
    viewer: () => views.user(account.user),
    serverInfo: {
      features: SERVER_FEATURES.map((name) => ({ name, isEnabled: true })),
      cliVersionInfo: CLIENT_VERSIONS,
      latestLocalVersionInfo: null,
    },
    project,
    model: project,
    models: ({ entityName, ...page }: NamedProject & PageArguments) =>
      nodesOf(platform.projects.of(checkEntity(call, entityName)), page, views.project),
    entity: ({ name }: NamedProject) => {
      const entity = entityOf(call, name)
      return call.sees(entity) ? views.entity(entity) : null
    },
    organization: ({ name }: { name: string }) =>
      call.sees(name) ? views.organization(name) : null,
    artifact: ({ id }: { id: string }) => viewOf(artifactWithId(call, id), views.artifact),
    artifactCollection: ({ id }: { id: string }) => {
      const collection = platform.artifacts.collectionWithId(id)
      return collection && call.sees(collection.entity) ? views.collection(collection) : null
    },
    clientIDMapping: ({ clientID }: { clientID: string }) => {
      const artifact = platform.artifacts.withClientId(clientID)
      return artifact && call.sees(artifact.entity) ? { serverID: artifact.id } : null
    },
  }
}
