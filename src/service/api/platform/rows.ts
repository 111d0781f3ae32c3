import { anything, string } from '../../contract/pydantic/scalars.js'
import { parameters } from '../../contract/pydantic/parameters.js'
import { isRecord } from '../../contract/pydantic/record.js'
import {
  ARTIFACT_FILES_PATH,
  STREAMED_FILES,
  WRITER_HEADERS,
  TELEMETRY_PATH,
} from '../../../base/text/vendor/platform-names.js'
import type { ContentReceiver } from '../../contract/content.js'
import { BODY_LIMIT, type ApiRequest } from '../../contract/exchange.js'
import type { Engine } from '../../engine/engine.js'
import type { OpenContent } from '../../platform/blobs.js'
import { describeChange } from '../../platform/describe-change.js'
import { quoteNotFinite } from '../../platform/not-finite.js'
import { PlatformError, quoted, type PlatformProblem } from '../../platform/platform-error.js'
import type { RunLog, WrittenLines } from '../../platform/runs.js'
import type { Schema } from '../../contract/pydantic/schema.js'
import { bytesReply } from '../bytes-reply.js'
import {
  operation,
  Reply,
  type ApiRow,
  type Call,
  type JsonValue,
  type Operation,
  type RawReply,
  type ResultOf,
} from '../operation.js'
import { mayUse } from '../ownership.js'
import { Router } from '../route.js'
import { PLATFORM_TAG } from '../tags.js'
import type { CallFacts } from './call.js'
import type { ContentAddresses } from './content-addresses.js'
import { STORAGE_PATH } from './paths.js'
import type { executeGraphql, GraphqlAnswer, GraphqlRequest } from './execute.js'

/** A row that no document lists. The schema of GraphQL has its types, and the other rows have nothing that a client reads. */
function platformRow<Path>(row: PlatformRow<Path>): Operation {
  const response = anything as Schema<JsonValue>
  return operation({ host: 'training', tag: PLATFORM_TAG, response, unlisted: true, ...row })
}

type PlatformRow<Path> = Omit<
  ApiRow<Path, unknown, unknown, JsonValue, ResultOf<JsonValue>>,
  'host' | 'tag' | 'response' | 'unlisted'
>

type AnyCall = Call<unknown, unknown, unknown>
type Executor = typeof executeGraphql

/** The library and the schema are loaded with the first call, so that nobody else waits for them. */
let executor: Executor | undefined

const platformGraphql = platformRow({
  id: 'platformGraphql',
  method: 'POST',
  path: '/graphql',
  name: 'graphql',
  summary: 'Runs and artifacts, in GraphQL',
  auth: 'platform',
  mayBeCompressed: true,
  readsBody: true,
  nameCall: operationNameIn,
  run(call) {
    const request = graphqlRequestIn(call)
    if (request instanceof Reply) return request
    if (executor) return answerGraphql(executor, request, call)
    return import('./execute.js').then((loaded) => {
      executor = loaded.executeGraphql
      return answerGraphql(executor, request, call)
    })
  },
})

/** The name of the operation in a body, so that faults and the journal can name it. */
function operationNameIn(json: unknown): string | undefined {
  const { operationName, query } = Object(json) as Record<string, unknown>
  if (typeof operationName === 'string' && NAME.test(operationName)) return operationName
  return typeof query === 'string' ? firstNameIn(query) : undefined
}

const NAME = /^\w{1,100}$/
/** Texts and comments, which say nothing here, braces, and the beginning of an operation. */
const TOKEN =
  /"""[^]*?"""|"(?:\\.|[^"\\\n\r])*"|#[^\n\r]*|[{}]|(?<!\bfragment\s+)\b(?:query|mutation|subscription)\s+(\w{1,100})/g

/** The name of the first operation of a query. Fragments may stand before it. */
function firstNameIn(query: string): string | undefined {
  let depth = 0
  for (const [token, name] of query.matchAll(TOKEN)) {
    if (token === '{') depth++
    else if (token === '}') depth--
    else if (name !== undefined && depth === 0) return name
  }
  return undefined
}

function graphqlRequestIn({ json, entry, request: { body } }: AnyCall): GraphqlRequest | Reply {
  const refuse = (message: string, status = 400): Reply => {
    entry.detail = message
    return new Reply(status, { errors: [{ message }] })
  }
  if (body === 'too-large') return refuse(`The body is larger than ${BODY_LIMIT} bytes.`, 413)
  const { value } = json
  if (Array.isArray(value)) {
    return refuse(
      `The body is a list of ${value.length} queries. Send each query in a call of its own.`,
    )
  }
  const { query, variables, operationName } = Object(value) as Record<string, unknown>
  if (typeof query !== 'string') {
    return refuse(
      'The body has no query; expected JSON such as {"query": "{ viewer { entity } }"}.',
    )
  }
  if (variables !== undefined && variables !== null && !isRecord(variables)) {
    return refuse('The variables are not a JSON object.')
  }
  return {
    query,
    variables: variables ?? {},
    // Some clients send an empty name.
    operationName:
      typeof operationName === 'string' && operationName !== '' ? operationName : undefined,
  }
}

function answerGraphql(execute: Executor, request: GraphqlRequest, call: AnyCall): Reply {
  const { engine, entry } = call
  const failed = (error: unknown): void => {
    engine.journal.background.report('answer a query of runs and artifacts', error, entry.id)
  }
  const answer = observed(call, (): GraphqlAnswer => execute(request, platformCallOf(call), failed))
  const [first] = answer.errors
  if (first !== undefined) entry.detail = first
  return new Reply(answer.problem ? STATUSES[answer.problem] : 200, answer.body)
}

function platformCallOf(call: AnyCall): CallFacts {
  const { engine, account, entry, root, contents } = call
  return {
    platform: engine.platform,
    automations: engine.automations!,
    account,
    author: { user: account.user, cause: entry.id },
    writer: call.request.headers[WRITER_HEADERS.graphql],
    addressOf: (...content) => root + contents.pathOf(...content),
    sees: (entity) => mayUse({ engine, account }, entity),
  }
}

/** Does something, and notes in the journal what it changes. */
function observed<Result>({ engine, entry }: AnyCall, work: () => Result): Result {
  const end = engine.platform.subscribe((change) => entry.effects.push(describeChange(change)))
  try {
    return work()
  } finally {
    end()
  }
}

const STATUSES: Readonly<Record<PlatformProblem, number>> = {
  invalid: 400,
  'not-found': 404,
  conflict: 409,
  lost: 410,
  limit: 413,
  // 507 says it better, but clients try each 5xx again, for minutes.
  disk: 413,
}

/** Does something that may be refused, and answers the refusal in the form of GraphQL. */
function refusable<Result>(call: AnyCall, work: () => Result): Result | Reply {
  try {
    return observed(call, work)
  } catch (error) {
    if (!(error instanceof PlatformError)) throw error
    const { message, problem } = error
    call.entry.detail = message
    return new Reply(STATUSES[problem], { errors: [{ message }] })
  }
}

const streamRun = platformRow({
  id: 'streamRun',
  method: 'POST',
  path: '/files/{entity}/{project}/{run}/file_stream',
  name: 'file_stream',
  summary: 'Metrics, output and state of a run',
  auth: 'platform',
  params: parameters('path', { entity: string, project: string, run: string }),
  mayBeCompressed: true,
  readsBody: true,
  run(call) {
    return refusable<object>(call, () => {
      const { entity, project, run: name } = call.params
      if (!mayUse(call, entity)) {
        throw new PlatformError(
          'not-found',
          `There is no run ${quoted(`${entity}/${project}/${name}`)}.`,
        )
      }
      const { runs } = call.engine.platform
      const run = runs.get({ entity, project, name })
      const writer = call.request.headers[WRITER_HEADERS.stream]
      const log = { ...runLogIn(call.json.value), writer }
      runs.log(run, log, { user: call.account.user, cause: call.entry.id })
      return { exitcode: null, limits: {}, ...(run.stopping && { stopped: true }) }
    })
  },
})

/** What a program sends about its run. */
function runLogIn(json: unknown): RunLog {
  if (!isRecord(json)) {
    throw new PlatformError('invalid', 'The body is not a JSON object, such as {"files": {}}.')
  }
  const { files = {}, preempting, complete, exitcode } = json
  const log: Record<string, WrittenLines> = {}
  for (const [name, chunk] of Object.entries(Object(files) as object)) {
    const stream = Object.hasOwn(STREAMED_FILES, name)
      ? STREAMED_FILES[name as keyof typeof STREAMED_FILES]
      : undefined
    // Files of other names are output of the system, which nobody reads back.
    if (stream)
      log[stream] = stream === 'output' ? linesIn(name, chunk) : jsonLines(linesIn(name, chunk))
  }
  const { history, events, output, summary } = log
  return {
    history,
    events,
    output,
    summary: summary?.lines.at(-1),
    preempting: preempting === true,
    complete: complete === true,
    exitCode: typeof exitcode === 'number' ? exitcode : undefined,
  }
}

function jsonLines({ offset, lines }: WrittenLines): WrittenLines {
  return { offset, lines: lines.map(quoteNotFinite) }
}

function linesIn(name: string, chunk: unknown): WrittenLines {
  const { offset = 0, content = [] } = Object(chunk) as Record<string, unknown>
  const isLines = Array.isArray(content) && content.every((line) => typeof line === 'string')
  if (isLines && typeof offset === 'number') return { offset, lines: content }
  throw new PlatformError(
    'invalid',
    `The chunk of ${quoted(name)} is not an offset and a list of lines, such as {"offset": 0, "content": ["{}"]}.`,
  )
}

const uploadFile = platformRow({
  id: 'uploadFile',
  method: 'PUT',
  path: `${STORAGE_PATH}/{world}/uploads/{file}`,
  name: 'upload_file',
  summary: 'Upload the content of a file',
  // The address of an upload is a secret of its own: clients send no key to it.
  auth: 'open',
  params: parameters('path', { world: string, file: string }),
  readsBody: true,
  run(call) {
    return refusable<object>(call, () => {
      const { body, content, query } = call.request
      call.contents.check(query, 'uploads', call.params.file)
      if (body === 'too-large') {
        throw new PlatformError(
          'limit',
          `The content has more than ${BODY_LIMIT} bytes; at most these are allowed in one upload.`,
        )
      }
      const file = call.engine.platform.upload(call.params.file, content ?? body)
      call.entry.effects.push(`stored ${file.path}, ${file.size} bytes`)
      return new Reply(200, undefined)
    })
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
  return engine.platform.receive(file, announced)
}

const downloadFile = platformRow({
  id: 'downloadFile',
  method: 'GET',
  path: `${STORAGE_PATH}/{world}/files/{file}/{name}`,
  name: 'download_file',
  summary: 'Download a file of a run',
  auth: 'open',
  params: parameters('path', { world: string, file: string, name: string }),
  contentTypes: ['application/octet-stream'],
  run(call) {
    return refusable<RawReply>(call, () => {
      const { platform } = call.engine
      const { file, name } = call.params
      call.contents.check(call.request.query, 'files', file, name)
      return contentReply(platform.file(file)?.open(platform.blobs), name)
    })
  },
})

const downloadArtifactFile = platformRow({
  id: 'downloadArtifactFile',
  method: 'GET',
  path: `${STORAGE_PATH}/{world}/artifacts/{artifact}/{digest}/{name}`,
  name: 'download_artifact_file',
  summary: 'Download a file of an artifact',
  auth: 'open',
  params: parameters('path', { world: string, artifact: string, digest: string, name: string }),
  contentTypes: ['application/octet-stream'],
  run(call) {
    return refusable<RawReply>(call, () => {
      const { artifacts } = call.engine.platform
      const { artifact: id, digest, name } = call.params
      call.contents.check(call.request.query, 'artifacts', id, digest, name)
      const artifact = artifacts.withId(id)
      return contentReply(artifact && artifacts.contents.withDigest(artifact, digest), name)
    })
  },
})

/** An entry of a manifest says which artifact had its content first. That one may be deleted by now. */
const downloadArtifactEntry = platformRow({
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
    return refusable<RawReply>(call, () => {
      const { artifacts, projects } = call.engine.platform
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
    })
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

/** The SDK reports how it is used. Without an answer it tries again, and the log fills with 404. */
const dropTelemetry = platformRow({
  id: 'dropTelemetry',
  method: 'POST',
  path: `${TELEMETRY_PATH}/{signal}`,
  name: 'telemetry',
  summary: 'Telemetry of the SDK, which is dropped',
  auth: 'open',
  params: parameters('path', { signal: string }),
  readsBody: true,
  run: () => ({}),
})

export const platformOperations = [
  platformGraphql,
  dropTelemetry,
  streamRun,
  uploadFile,
  downloadFile,
  downloadArtifactFile,
  downloadArtifactEntry,
]
