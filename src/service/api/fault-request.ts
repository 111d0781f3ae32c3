import { textOrNone } from '../../base/text/value-at.js'
import type { ApiRequest, Host } from '../contract/exchange.js'
import { isRecord } from '../contract/pydantic/record.js'
import type { Account } from '../scenario/account.js'
import type { Engine } from '../engine/engine.js'
import type { FaultRequest } from '../engine/faults/matches-call.js'
import { findServedModel } from '../engine/served-models.js'
import type { Store } from '../engine/store.js'
import { asksJudge } from './asks-judge.js'
import type { Operation, ReceivedJson } from './operation.js'
import { cursorOf } from './paging.js'
import { lastOfEach } from './route.js'
import { CHAT_TAG } from './tags.js'

/** What a fault can ask of a call. */
interface FaultableCall {
  readonly request: ApiRequest
  readonly engine: Engine
  readonly account: Account
  readonly json: ReceivedJson
  readonly row: Operation
  readonly callId: string
  readonly pathParameters: Readonly<Record<string, string>>
}

/** Returns what the rules of faults match a call against. */
export function faultRequestOf(call: FaultableCall, host: Host): FaultRequest {
  const { request, engine, account, json, row, callId, pathParameters } = call
  const { method, path, headers } = request
  const body = json.value
  return {
    operation: callId,
    host,
    method,
    path,
    key: account.key,
    user: account.user,
    ...mentionedModel(engine.store, { path: pathParameters, headers, body }),
    headers,
    body,
    get hasCursor() {
      return cursorOf(lastOfEach(request.query)) !== undefined
    },
    get judge() {
      return row.tag === CHAT_TAG && asksJudge(engine, body)
    },
    get step() {
      return row.tag === CHAT_TAG ? servedStep(engine, body) : undefined
    },
  }
}

/** The step of the checkpoint that a chat asks for. 0 for a base model. */
function servedStep(engine: Engine, body: unknown): number | undefined {
  const { model: name } = fieldsIn(body)
  if (typeof name !== 'string') return undefined
  const served = findServedModel(engine, { name, at: engine.clock.now() })
  if (served?.kind === 'adapter') return served.checkpoint.step
  return served?.kind === 'base' ? 0 : undefined
}

interface ModelMention {
  /** The parameters of the path. */
  path: Readonly<Record<string, string>>
  headers: ApiRequest['headers']
  /** The received body, unchecked. */
  body: unknown
}

/** The names of a model and of its project, as far as they are known. */
type ModelNames = Pick<FaultRequest, 'model' | 'project'>

/** What a request is about: the model of its id or of its job, or what the request itself names. */
function mentionedModel(store: Store, { path, headers, body }: ModelMention): ModelNames {
  const { training_job_id: jobId } = path
  if (jobId !== undefined) return namesIn(store.jobs.get(jobId)?.model)
  const { model_id: inBody, model: served, name, project } = fieldsIn(body)
  const id = path['model_id'] ?? inBody
  if (typeof id === 'string') return namesIn(store.model(id.toLowerCase())?.record)
  if (typeof served !== 'string') return { model: textOrNone(name), project: textOrNone(project) }
  const [, inName, modelName = served] = ARTIFACT.exec(served) ?? []
  const header = projectHeaderOf(headers)
  return { model: modelName, project: header?.split('/').at(-1) ?? inName }
}

/** The fields of a body, which nobody has checked. */
function fieldsIn(body: unknown): Readonly<Record<string, unknown>> {
  return isRecord(body) ? body : {}
}

/** `artifact:///team/project/poet:step3` → `project` and `poet`. The id of a base model does not match. */
const ARTIFACT = /^(?:[a-z][a-z0-9+.-]*:\/\/\/?)?[^/:]+\/([^/:]+)\/([^/:]+)/i

function namesIn(found: { name: string; project: string } | undefined): ModelNames {
  return { model: found?.name, project: found?.project }
}

/** The header of a chat that names its project, often as `team/project`. It has two names. */
export function projectHeaderOf(headers: ApiRequest['headers']): string | undefined {
  return headers['service-project'] ?? headers['openai-project']
}
