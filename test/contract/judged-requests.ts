import { chatCompletionRequest } from '../../src/contract/chat.js'
import { deleteCheckpointsRequest } from '../../src/contract/checkpoint.js'
import { modelCreate, modelPath } from '../../src/contract/model.js'
import { orderedPageQuery, pageQuery } from '../../src/contract/page.js'
import {
  createSftTrainingJob,
  createTrainingJob,
  trainingJobPath,
} from '../../src/contract/training-job.js'
import { logRequest } from '../../src/contract/trajectory.js'
import { readJsonBody, UNREADABLE_BODY } from '../../src/contract/validation/body.js'
import type { Parameters } from '../../src/contract/validation/parameters.js'
import type { Problem } from '../../src/contract/validation/problem.js'
import type { Schema } from '../../src/contract/validation/schema.js'
import { validateBody, type Validated } from '../../src/contract/validation/validate.js'

/** A request of the corpus. `base64` stands for a body that is no text. */
export interface JudgedRequest {
  name: string
  method: string
  path: string
  headers: Record<string, string>
  body?: string
  base64?: string
}

interface Row {
  method: string
  path: RegExp
  params?: Parameters<unknown>
  query?: Parameters<unknown>
  body?: Schema<unknown>
}

const modelAt = '/v1/preview/models/(?<model_id>[^/]+)'
const jobAt = '/v1/preview/training-jobs/(?<training_job_id>[^/]+)'

const rows: readonly Row[] = [
  { method: 'POST', path: /^\/v1\/chat\/completions\/?$/, body: chatCompletionRequest },
  { method: 'POST', path: /^\/v1\/preview\/models$/, body: modelCreate },
  { method: 'DELETE', path: new RegExp(`^${modelAt}$`), params: modelPath },
  {
    method: 'GET',
    path: new RegExp(`^${modelAt}/checkpoints$`),
    params: modelPath,
    query: orderedPageQuery,
  },
  {
    method: 'DELETE',
    path: new RegExp(`^${modelAt}/checkpoints$`),
    params: modelPath,
    body: deleteCheckpointsRequest,
  },
  { method: 'POST', path: new RegExp(`^${modelAt}/log$`), params: modelPath, body: logRequest },
  { method: 'POST', path: /^\/v1\/preview\/training-jobs$/, body: createTrainingJob },
  { method: 'POST', path: /^\/v1\/preview\/sft-training-jobs$/, body: createSftTrainingJob },
  { method: 'GET', path: new RegExp(`^${jobAt}$`), params: trainingJobPath },
  {
    method: 'GET',
    path: new RegExp(`^${jobAt}/events$`),
    params: trainingJobPath,
    query: pageQuery,
  },
]

export interface Verdict {
  status: number
  detail?: unknown
  /** What an accepted body was read as. */
  value?: unknown
}

/** What the contract alone says to a request, routes and keys being the pipeline's part. */
export function judge(request: JudgedRequest): Verdict | undefined {
  const url = new URL(request.path, 'http://host')
  const path = decodeURIComponent(url.pathname)
  const row = rows.find((candidate) => isFor(candidate, request.method, path))
  if (!row) return undefined

  const json = row.body && readJsonBody(bytesOf(request), request.headers['content-type'])
  if (json?.kind === 'unreadable') return { status: 400, detail: UNREADABLE_BODY }
  if (json?.kind === 'problem') return { status: 422, detail: [json.problem] }
  if (!/^bearer +\S/i.test(request.headers['authorization'] ?? ''))
    return { status: 401, detail: 'Not authenticated' }

  const params = row.params?.validate({ ...row.path.exec(path)!.groups })
  const query = row.query?.validate(Object.fromEntries(url.searchParams))
  const body = row.body && validateBody(row.body, json?.kind === 'value' ? json.value : undefined)
  const problems = [params, query, body].flatMap(problemsOf)
  if (problems.length > 0) return { status: 422, detail: problems }
  return { status: 200, value: valueOf(body) ?? { ...valueOf(params), ...valueOf(query) } }
}

function problemsOf(validated: Validated<unknown> | undefined): Problem[] {
  return validated && !validated.ok ? validated.problems : []
}

function isFor(row: Row, method: string, path: string): boolean {
  return row.method === method && row.path.test(path)
}

function valueOf(validated: Validated<unknown> | undefined): object | undefined {
  return validated?.ok ? (validated.value as object) : undefined
}

export function bytesOf({ body, base64 }: JudgedRequest): Uint8Array {
  if (base64 !== undefined) return new Uint8Array(Buffer.from(base64, 'base64'))
  return new TextEncoder().encode(body ?? '')
}
