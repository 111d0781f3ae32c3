import { entityView, organizationEntityView, organizationView, userView } from './account-views.js'
import { artifactView } from './artifact-view.js'
import { QueryReading } from './query-reading.js'
import type { CallFacts, PlatformCall, View, Views } from './call.js'
import { aliasView, collectionView, versionView } from './collection-view.js'
import { filePage, fileView } from './file-view.js'
import { artifactTypeView, projectView } from './project-view.js'
import { runView } from './run-view.js'

/** A call with what makes the objects of the schema for it. */
export function withViews(facts: CallFacts): PlatformCall {
  const reading = new QueryReading()
  /** Objects contain lists of objects, so what a query asks for may be endless. */
  const counted = <Of extends readonly unknown[]>(
    view: (...args: [...Of, PlatformCall]) => View,
  ) => {
    return (...of: Of): View => {
      reading.shown()
      return view(...of, call)
    }
  }
  const views = {
    user: counted(userView),
    entity: counted((name: string, whole) => entityView(name, whole)),
    organization: counted(organizationView),
    organizationEntity: counted(organizationEntityView),
    project: counted(projectView),
    run: counted(runView),
    artifact: counted(artifactView),
    artifactFiles: counted(filePage),
    collection: counted(collectionView),
    version: counted(versionView),
    alias: counted(aliasView),
    artifactType: counted(artifactTypeView),
    file: counted(fileView),
  } satisfies Views
  const call: PlatformCall = { ...facts, reading, views }
  return call
}
