import type { ArtifactContents } from './artifact-contents.js'
import type { ArtifactIndex } from './artifact-index.js'
import type { ArtifactLabels } from './artifact-labels.js'
import type { ArtifactUploads } from './artifact-uploads.js'
import type { Collections } from './collections.js'
import type { PlatformContext } from './context.js'
import type { Projects } from './projects.js'

/** What the work on the artifacts of a world shares. */
export interface ArtifactParts {
  readonly context: PlatformContext
  readonly projects: Projects
  readonly index: ArtifactIndex
  readonly collections: Collections
  readonly contents: ArtifactContents
  readonly labels: ArtifactLabels
  readonly uploads: ArtifactUploads
}
