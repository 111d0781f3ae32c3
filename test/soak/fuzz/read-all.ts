import { ARTIFACT_FILES_PATH } from '../../../src/base/text/vendor/platform-names.js'
import type { Outcome } from '../../../src/service/contract/exchange.js'
import type { Emulator } from '../../../src/index.js'
import { operations } from '../../../src/compose/control-table.js'
import { bearer } from '../../support/api-client.js'

/**
 * Sends `GET /path?query` to an emulator in process. A path of the inference host begins with `@inference`. A
 * body that is a string is sent as it is.
 */
export async function ask(
  emulator: Emulator,
  line: string,
  body?: unknown,
): Promise<Outcome & { kind: 'response' }> {
  const [method, path, query = ''] = line.split(/ |\?/) as [string, string, string?]
  const [host, rest] = path.startsWith('@inference')
    ? (['inference', path.slice('@inference'.length)] as const)
    : (['training', path] as const)
  const outcome = await emulator.handle(host, {
    method,
    base: 'http://127.0.0.1',
    path: rest,
    query,
    headers: bearer(emulator.apiKey),
    body: new TextEncoder().encode(textOf(body)),
  })
  if (outcome.kind === 'response' && outcome.status !== 500) return outcome
  throw new Error(`${line}: ${JSON.stringify(outcome)}`)
}

function textOf(body: unknown): string {
  if (body === undefined) return ''
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/**
 * Operations that do not depend on the world, the endless stream, and operations that are called
 * separately.
 */
const SAME_IN_ALL_WORLDS = /openapi(?:\.json$|\/)|\/scenarios?(?:\/schema)?$|\/stream$|^\/storage\//

/** Reads all that can be read of a world. Fails if a read is not answered, or is answered with 500. */
export async function readAll(emulator: Emulator): Promise<void> {
  const { store, faults } = emulator.engine
  // The effect of a fault is not a failure of the emulator.
  for (const fault of faults.all) fault.open = false
  const ids: Readonly<Record<string, Iterable<string>>> = {
    '{model_id}': [...store.modelStates].map(({ record }) => record.id),
    '{training_job_id}': store.jobs.keys(),
    '{job_id}': store.jobs.keys(),
    '{request_id}': emulator.journal.entries
      .filter(({ kind }) => kind === 'request')
      .map(({ id }) => String(id)),
    '{delivery_id}': emulator.webhooks.deliveries.map(({ id }) => id),
    '{entity}/{project}/{run}': emulator.runs.list().map(({ path }) => path),
    '{entity}/{project}/{artifact}': emulator.artifacts.list().map(({ path }) => path),
  }
  for (const { method, path, host } of operations) {
    if (method !== 'GET' || SAME_IN_ALL_WORLDS.test(path)) continue
    if (path.startsWith(ARTIFACT_FILES_PATH)) continue
    const named = /\{entity\}\/\{project\}\/\{\w+\}/.exec(path) ?? /\{\w+\}/.exec(path)
    const [placeholder] = named ?? []
    const query = path.endsWith('/wait') ? '?timeout=1ms' : ''
    for (const id of placeholder === undefined ? [''] : [...ids[placeholder]!].slice(-2)) {
      const value = id.split('/').map(encodeURIComponent).join('/')
      const filled = placeholder ? path.replace(placeholder, value) : path
      await ask(emulator, `GET ${host === 'inference' ? '@inference' : ''}${filled}${query}`)
    }
  }
  await readPlatform(emulator)
}

const FILES = 'files(first: 9) { edges { node { id name directUrl sizeBytes md5 } } }'
const ARTIFACT = `id state digest size metadata createdAt aliases { alias } tags { name } ${FILES}
  createdBy { __typename } usedBy { edges { node { id } } } currentManifest { file { sizeBytes } }
  artifactMemberships(first: 9) { edges { node { id versionIndex artifactCollection { name } } } }`
const EVERYTHING = `query Everything($name: String!, $entityName: String!) {
  project(name: $name, entityName: $entityName) {
    id name description createdAt
    runs(first: 9, order: "-summary_metrics.loss") { edges { node {
      id name state config summaryMetrics heartbeatAt historyLineCount historyKeys
      history(samples: 9) systemMetrics eventsTail logLineCount ${FILES}
      outputArtifacts(first: 9) { edges { node { id } } }
      inputArtifacts(first: 9) { edges { node { id } } }
    } } }
    artifactTypes { edges { node { name } } }
    artifactCollections(first: 9) { edges { node {
      id name description createdAt tags { edges { node { name } } }
      aliases(first: 9) { edges { node { alias } } }
      artifacts(first: 9, order: "-createdAt") { edges { version node { ${ARTIFACT} } } }
    } } }
  }
}`

/** Reads runs and artifacts as clients do. Fails if one of them cannot be read. */
async function readPlatform(emulator: Emulator): Promise<void> {
  for (const { entity: entityName, name } of emulator.engine
    .platformWithCheckpoints()
    .projects.all()) {
    const variables = { entityName, name }
    const body = { operationName: 'Everything', query: EVERYTHING, variables }
    const answer = await ask(emulator, 'POST /graphql', body)
    // The scenario may list no key.
    if (answer.status === 401) return
    const { errors = [] } = JSON.parse(answer.body) as { errors?: { message: string }[] }
    // The world may name a content whose file is gone.
    const failed = errors.filter(
      ({ message }) => !/^(?:Failed to read t|T)he content/.test(message),
    )
    if (answer.status !== 200 || failed.length > 0) throw new Error(`POST /graphql: ${answer.body}`)
  }
}
