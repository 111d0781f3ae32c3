import type { Artifact } from '../../../service/platform/artifact.js'
import type { CheckDefinition } from '../check-definition.js'
import { requestsThat } from '../requests-that.js'

export const uncommittedArtifacts: CheckDefinition = {
  mistake: 'An artifact that was created, and never committed: nobody can use it.',
  legitimate: 'A program that still uploads when the checks run has an open artifact.',
  find({ engine }, requests) {
    const { artifacts } = engine.clientPlatform
    const open = [...artifacts.all].filter(({ state }) => state === 'PENDING')
    return open.map((artifact) => ({
      text: `the artifact ${artifact.source.path} was never committed (uploaded files: ${uploadedOf(artifact)}); wait until it is logged before the program ends`,
      requests: requestsThat(requests, { type: 'artifact_created', of: artifact.id }),
    }))
  },
}

function uploadedOf({ uploads }: Artifact): string {
  const uploaded = [...uploads.values()].filter(({ digest }) => digest !== undefined)
  return `${uploaded.length} of ${uploads.size}`
}
