import { string } from '../../contract/pydantic/scalars.js'
import { parameters } from '../../contract/pydantic/parameters.js'
import { ARTIFACT_FILES_PATH } from '../../../base/text/vendor/platform-names.js'
import type { ContentReceiver } from '../../contract/content.js'
import { BODY_LIMIT, type ApiRequest } from '../../contract/exchange.js'
import type { Engine } from '../../engine/engine.js'
import type { OpenContent } from '../../platform/blobs.js'
import { PlatformError, quoted } from '../../platform/platform-error.js'
import { bytesReply } from '../bytes-reply.js'
import { Reply, type RawReply } from '../result.js'
import { mayUse } from '../ownership.js'
import { Router } from '../route.js'
import type { ContentAddresses } from './content-addresses.js'
import { STORAGE_PATH } from './paths.js'
import { refusableRow } from './platform-row.js'

export const uploadFile = refusableRow({
  id: 'uploadFile',
  method: 'PUT',
  path: `${STORAGE_PATH}/{world}/uploads/{file}`,
  name: 'upload_file',
  summary: 'Upload the content of a file',
  // The address of an upload is a secret of its own: clients send no key to it.
  auth: 'open',
  params: parameters('path', { world: string, file: string }),
  readsBody: 'bytes',
  run(call) {
    const { body, content, query } = call.request
    call.contents.check(query, 'uploads', call.params.file)
    if (body === 'too-large') {
      const message = `The content has more than ${BODY_LIMIT} bytes; at most these are allowed in one upload.`
      throw new PlatformError('limit', message)
    }
    const file = call.engine.platformWithCheckpoints().upload(call.params.file, content ?? body)
    const { entry } = call
    entry.effects.push(`stored ${file.path}, ${file.size} bytes`)
    entry.changes = [...entry.changes, { type: 'content_stored' }]
    return new Reply(200, undefined)
  },
})

const uploads = new Router([uploadFile])

/** Takes the content that a call of `uploadFile` sends. Undefined: it is another call, or one to refuse. */
export function receiveUpload(
  { engine, contents }: { engine: Engine; contents: ContentAddresses },
  { method, path, query, headers }: Pick<ApiRequest, 'method' | 'path' | 'query' | 'headers'>,
): ContentReceiver | undefined {
  const match = uploads.match(method, path)
  // A world that is not ready may have the file in a moment.
  if (match.kind !== 'found' || engine.ready) return undefined
  const file = match.params['file']!
  if (!contents.isSigned(query, 'uploads', file)) return undefined
  const length = headers['content-length']
  const announced = length === undefined ? undefined : Number(length)
  return engine.platformWithCheckpoints().receive(file, announced)
}

export const downloadFile = refusableRow({
  id: 'downloadFile',
  method: 'GET',
  path: `${STORAGE_PATH}/{world}/files/{file}/{name}`,
  name: 'download_file',
  summary: 'Download a file of a run',
  auth: 'open',
  params: parameters('path', { world: string, file: string, name: string }),
  contentTypes: ['application/octet-stream'],
  run(call) {
    const platform = call.engine.platformWithCheckpoints()
    const { file, name } = call.params
    call.contents.check(call.request.query, 'files', file, name)
    return contentReply(platform.file(file)?.open(platform.blobs), name)
  },
})

export const downloadArtifactFile = refusableRow({
  id: 'downloadArtifactFile',
  method: 'GET',
  path: `${STORAGE_PATH}/{world}/artifacts/{artifact}/{digest}/{name}`,
  name: 'download_artifact_file',
  summary: 'Download a file of an artifact',
  auth: 'open',
  params: parameters('path', { world: string, artifact: string, digest: string, name: string }),
  contentTypes: ['application/octet-stream'],
  run(call) {
    const { artifacts } = call.engine.platformWithCheckpoints()
    const { artifact: id, digest, name } = call.params
    call.contents.check(call.request.query, 'artifacts', id, digest, name)
    const artifact = artifacts.withId(id)
    return contentReply(artifact && artifacts.contents.withDigest(artifact, digest), name)
  },
})

/** An entry of a manifest says which artifact had its content first. That one may be deleted by now. */
export const downloadArtifactEntry = refusableRow({
  id: 'downloadArtifactEntry',
  method: 'GET',
  path: `${ARTIFACT_FILES_PATH}/{region}/{entity}/{project}/{collection}/{artifact}/{digest}/{name}`,
  name: 'download_artifact_entry',
  summary: 'Download a file of an artifact by its name',
  auth: 'platform',
  params: parameters('path', {
    region: string,
    entity: string,
    project: string,
    collection: string,
    artifact: string,
    digest: string,
    name: string,
  }),
  contentTypes: ['application/octet-stream'],
  run(call) {
    const { artifacts, projects } = call.engine.platformWithCheckpoints()
    const { entity, project, collection: its, artifact: id, digest, name } = call.params
    const collection = mayUse(call, entity)
      ? projects.collectionNamed(entity, project, its)
      : undefined
    const members = [...(collection?.members ?? [])].map(({ artifact }) => artifact)
    const first = artifacts.withId(id)
    const newest = members.slice(-MOST_SEARCHED).toReversed()
    const candidates = first && members.includes(first) ? [first, ...newest] : newest
    for (const artifact of candidates) {
      const content = artifacts.contents.withDigest(artifact, digest)
      if (content) return contentReply(content, name)
    }
    return contentReply(undefined, name)
  },
})

/** How many versions are searched for a content whose first artifact is gone. */
const MOST_SEARCHED = 100

function contentReply(content: OpenContent | undefined, name: string): RawReply {
  if (!content) {
    throw new PlatformError('not-found', `There is no content for ${quoted(name)} at this address.`)
  }
  return bytesReply(content)
}
