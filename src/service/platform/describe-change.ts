import { counted } from '../../base/text/counted.js'
import type { Artifact } from './artifact.js'
import type { PlatformChange } from './platform-change.js'

/** Says what changed, for people: `created the run team/verse/poem`. */
export function describeChange(change: PlatformChange): string {
  switch (change.type) {
    case 'project_created':
      return `created the project ${change.project.entity}/${change.project.name}`
    case 'run_created':
      return `created the run ${change.run.path}`
    case 'run_state_changed':
      return `the run ${change.run.path} is ${change.run.state}, and was ${change.before}`
    case 'metrics_logged':
      return `logged ${counted(change.lines.length, 'line')} of history to ${change.run.path}`
    case 'artifact_created':
      return `created a version of ${change.artifact.source.path}, not committed yet`
    case 'artifact_committed':
      return `committed ${change.artifact.version?.path}`
    case 'artifact_deleted':
      return `deleted a version of ${change.artifact.source.path}`
    case 'alias_added': {
      const { alias, membership, movedFrom } = change
      const from = movedFrom ? `, moved from v${movedFrom.index}` : ''
      return `alias ${alias} of ${membership.path}${from}`
    }
    case 'alias_removed':
      return `removed the alias ${change.alias} of ${change.membership.path}`
    case 'tag_added':
      return `tag ${change.tag} of ${taggedIn(change)}`
    case 'tag_removed':
      return `removed the tag ${change.tag} of ${taggedIn(change)}`
    case 'collection_tag_added':
      return `tag ${change.tag} of the collection ${change.collection.path}`
    case 'collection_tag_removed':
      return `removed the tag ${change.tag} of the collection ${change.collection.path}`
    case 'artifact_linked':
      return `linked ${change.membership.artifact.version?.path} as ${change.membership.path}`
    case 'artifact_unlinked':
      return `unlinked ${change.membership.path}`
  }
}

function taggedIn({ artifact }: { readonly artifact: Artifact }): string {
  return artifact.version?.path ?? artifact.source.path
}
