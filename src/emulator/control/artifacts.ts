import { fromBase64 } from '../../base/text/bytes.js'
import { ApiError } from '../../service/contract/errors.js'
import { PlatformError, type PlatformProblem } from '../../service/platform/platform-error.js'
import { control } from './row.js'
import {
  artifact,
  artifactPath,
  artifactRequest,
  artifacts,
  artifactsQuery,
  collections,
} from './schemas/artifacts.js'
import { fileReply } from './file-reply.js'
import { fileContent, fileQuery } from './schemas/stored-content.js'
import { pathOf } from './stored-path.js'

const listArtifacts = control({
  id: 'listArtifacts',
  method: 'GET',
  path: '/_emulator/artifacts',
  summary: 'The versions of artifacts, newest first; filters by entity, project, name and type',
  query: artifactsQuery,
  response: artifacts,
  run: ({ emulator, query }) => ({ artifacts: emulator.artifacts.list(query) }),
})

const listArtifactCollections = control({
  id: 'listArtifactCollections',
  method: 'GET',
  path: '/_emulator/artifacts/collections',
  summary: 'The names of artifacts with their versions and aliases, newest first',
  query: artifactsQuery,
  response: collections,
  run: ({ emulator, query }) => ({ collections: emulator.artifacts.collections(query) }),
})

const putArtifact = control({
  id: 'putArtifact',
  method: 'POST',
  path: '/_emulator/artifacts',
  summary: 'Puts an artifact with files into a project, as a client that logs it',
  refusals: [409, 507],
  body: artifactRequest,
  response: artifact,
  async run({ emulator, engine, body }) {
    const files: [path: string, content: string | Uint8Array][] = []
    for (const [path, content] of Object.entries(body.files)) {
      const bytes = typeof content === 'string' ? content : fromBase64(content.base64)
      if (bytes === undefined)
        return new ApiError(400, `files: the content of "${path}" is not base64.`)
      files.push([path, bytes])
    }
    try {
      const put = await emulator.artifacts.put({ ...body, files: Object.fromEntries(files) })
      engine.journal.note(`control: artifact ${put.path}`)
      return put
    } catch (error) {
      const { cause, message } = error as Error
      if (!(cause instanceof PlatformError)) throw error
      return new ApiError(STATUSES[cause.problem], message)
    }
  },
})

const STATUSES: Readonly<Record<PlatformProblem, number>> = {
  invalid: 400,
  'not-found': 404,
  conflict: 409,
  limit: 409,
  lost: 409,
  disk: 507,
}

const readArtifact = control({
  id: 'readArtifact',
  method: 'GET',
  path: '/_emulator/artifacts/{entity}/{project}/{artifact}',
  summary:
    'One version of an artifact (rows:v0, rows:alias, or rows for the latest) with its files',
  refusals: [404],
  params: artifactPath,
  response: artifact,
  run: ({ emulator, params }) => emulator.artifacts.get(pathOf(params, params.artifact)),
})

const readArtifactFile = control({
  id: 'readArtifactFile',
  method: 'GET',
  path: '/_emulator/artifacts/{entity}/{project}/{artifact}/file',
  summary: 'The content of a file of an artifact',
  refusals: [404],
  params: artifactPath,
  query: fileQuery,
  response: fileContent,
  contentTypes: ['application/octet-stream'],
  run: ({ emulator, params, query }) => {
    return fileReply(emulator.artifacts.download(pathOf(params, params.artifact), query.path))
  },
})

export const artifactOperations = [
  listArtifacts,
  listArtifactCollections,
  putArtifact,
  readArtifact,
  readArtifactFile,
]
