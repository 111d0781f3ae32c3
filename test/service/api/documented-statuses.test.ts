import { expect, it } from 'vitest'
import { operations } from '../../../src/index.js'
import { describeApi } from '../../../src/service/api/openapi.js'

/** Statuses besides 200, 405 and 429, which all operations have. */
const statuses: Readonly<Record<string, string>> = {
  'POST /v1/chat/completions/': '400 401 404 413 422',
  'POST /v1/chat/completions': '400 401 404 413 422',
  'POST /v1/preview/models': '400 401 404 409 413 422',
  'DELETE /v1/preview/models/{model_id}': '401 404 422',
  'POST /v1/preview/models/{model_id}/log': '400 401 404 413 422',
  'GET /v1/preview/base-models': '',
  'GET /v1/preview/models/{model_id}/checkpoints': '401 404 422',
  'DELETE /v1/preview/models/{model_id}/checkpoints': '400 401 404 413 422',
  'POST /v1/preview/training-jobs': '400 401 404 413 422',
  'POST /v1/preview/sft-training-jobs': '400 401 404 413 422',
  'GET /v1/preview/training-jobs/{training_job_id}': '401 404 422',
  'GET /v1/preview/training-jobs/{training_job_id}/events': '401 404 422',
  'GET /v1/health': '401',
  'GET /v1/system-check': '401 503',
  'POST /v1/chat/completions on inference': '400 401 404 413',
  'GET /v1/models on inference': '401',
}

interface Document {
  paths: Record<string, Record<string, { responses: object }>>
}

const training = describeApi(operations, 'training') as unknown as Document
const inference = describeApi(operations, 'inference') as unknown as Document

it('the OpenAPI documents have all statuses, including those that the service omits', () => {
  const said = [training, inference].flatMap(({ paths }) =>
    Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { responses }]): [string, string] => {
        const host = paths === inference.paths ? ' on inference' : ''
        const others = Object.keys(responses).filter(
          (each) => !['200', '405', '429'].includes(each),
        )
        return [`${method.toUpperCase()} ${path}${host}`, others.join(' ')]
      }),
    ),
  )
  expect(Object.fromEntries(said)).toEqual(statuses)
})
