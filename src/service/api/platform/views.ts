import { entityView, organizationEntityView, organizationView, userView } from './account-views.js'
import { artifactView, filePage, fileView } from './artifact-view.js'
import { QueryReading } from './bounds.js'
import type { CallFacts, PlatformCall, Views } from './call.js'
import { collectionView, versionView } from './collection-view.js'
import { artifactTypeView, projectView } from './project-view.js'
import { runView } from './run-view.js'

/** A call with what makes the objects of the schema for it. */
export function withViews(call: CallFacts): PlatformCall {
  const whole: PlatformCall = {
    ...call,
    reading: new QueryReading(),
    views: {
      user: (name) => userView(name, whole),
      entity: (name) => entityView(name, whole),
      organization: (name) => organizationView(name, whole),
      organizationEntity: (name) => organizationEntityView(name, whole),
      project: (project) => projectView(project, whole),
      run: (run) => runView(run, whole),
      artifact: (artifact) => artifactView(artifact, whole),
      artifactFiles: (artifact, wanted) => filePage(artifact, wanted, whole),
      collection: (collection) => collectionView(collection, whole),
      version: (version) => versionView(version, whole),
      artifactType: (project, name) => artifactTypeView(project, name, whole),
      file: (file) => fileView(file, whole),
    } satisfies Views,
  }
  return whole
}
