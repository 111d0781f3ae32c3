import { describe, expect, it } from 'vitest'
import { operations } from '../../../src/index.js'
import { describeApi } from '../../../src/service/api/openapi.js'
import type { JsonSchema } from '../../../src/service/contract/pydantic/schema.js'

/**
 * The documented fields, written down by hand: `!` is required, `?` may be null, `=` has a default.
 * A page of checkpoints stands for pages.
 */
const fields: Readonly<Record<string, string>> = {
  ChatCompletionRequest: 'model: string!, messages: object[]!',
  ChatCompletionResponse: 'choices: ChatChoice[]',
  ChatChoice: 'message: ChatMessage?',
  ModelCreate:
    'entity: string?, project: string!, name: string!, base_model: string!, ' +
    'return_existing: boolean=false',
  ModelResponse:
    'id: uuid!, entity: string!, project: string!, name: string!, base_model: string!, ' +
    'run_id: string?',
  DeleteModelResponse: 'model_id: uuid!, deleted_checkpoints: integer!, deleted_run: boolean!',
  CheckpointResponse: 'id: uuid!, step: integer!, metrics: {number}!',
  DeleteCheckpointsRequest: 'steps: integer[]!',
  DeleteCheckpointsResponse: 'deleted_count: integer!, not_found_steps: integer[]!',
  PaginatedResponse_CheckpointResponse_:
    'object: string="list", data: CheckpointResponse[]!, first_id: string="", ' +
    'last_id: string="", has_more: boolean!',
  LogRequest: 'split: string!, trajectory_groups: TrajectoryGroup[]!',
  TrajectoryGroup:
    'trajectories: Trajectory[], exceptions: PydanticException[], metadata: object, ' +
    'metrics: {any}, logs: string[]',
  PydanticException: 'type: string!, message: string!, traceback: string!',
  History: 'messages_and_choices: any[]!, tools: ChatCompletionFunctionToolParam[]?',
  Choice:
    'finish_reason: stop|length|tool_calls|content_filter|function_call!, index: integer!, ' +
    'logprobs: ChoiceLogprobs?, message: ChatCompletionMessage!',
  ChatCompletionFunctionToolParam: 'function: FunctionDefinition!, type: function!',
  FunctionDefinition: 'name: string!, description: string, parameters: object, strict: boolean?',
  CreateTrainingJob:
    'model_id: uuid!, trajectory_groups: TrajectoryGroup[]!, ' +
    'experimental_config: ExperimentalTrainingConfig?',
  CreateSFTTrainingJob:
    'model_id: uuid!, training_data_url: string!, config: SFTTrainingConfig?, ' +
    'experimental_config: object?',
  SFTTrainingConfig:
    'batch_size: any, learning_rate: any, assistant_turns: all|last="all", ' +
    'metric_logging: SFTMetricLoggingConfig?',
  SFTMetricLoggingConfig: 'enabled: boolean=false, target_training_step: integer',
  TrainingJobResponse: 'id: uuid!',
  TrainingJobEventResponse: 'id: uuid!, type: TrainingJobEventType!, data: object!',
  HTTPValidationError: 'detail: ValidationError[]',
  ValidationError: 'loc: any[]!, msg: string!, type: string!',
}

const parameters: Readonly<Record<string, string>> = {
  list_model_checkpoints:
    'model_id: string!, after: string, limit: integer 1..100=20, order: asc|desc="asc"',
  get_training_job_events: 'training_job_id: string!, after: string, limit: integer 1..100=20',
  get_training_job: 'training_job_id: string!',
  delete_model_checkpoints: 'model_id: string!',
  delete_model: 'model_id: string!',
  log: 'model_id: string!',
}

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

interface Described {
  parameters?: { name: string; required: boolean; schema: JsonSchema }[]
  responses: Record<string, unknown>
}

interface Document {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, JsonSchema> }
}

const training = describeApi(operations, 'training') as unknown as Document
const inference = describeApi(operations, 'inference') as unknown as Document
const { schemas } = training.components

describe('the OpenAPI document has the documented', () => {
  it.each(Object.entries(fields))('fields of %s', (name, written) => {
    const { properties, required = [] } = schemas[name] as {
      properties: Record<string, JsonSchema>
      required?: string[]
    }
    const said = Object.entries(properties).map(([field, schema]) => {
      return `${field}: ${typeOf(schema)}${required.includes(field) ? '!' : ''}`
    })
    expect(said.join(', ')).toBe(written)
  })

  it.each(Object.entries(parameters))('parameters of %s', (name, written) => {
    const row = operations.find((each) => each.name === name)!
    const described = training.paths[row.path]![row.method.toLowerCase()]!
    const said = described.parameters!.map((each) => {
      return `${each.name}: ${typeOf(each.schema)}${each.required ? '!' : ''}`
    })
    expect(said.join(', ')).toBe(written)
  })

  it('statuses, including those that the service omits', () => {
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
})

/** In the words of the tables above. */
function typeOf(schema: JsonSchema): string {
  const suffix =
    schema['default'] === undefined || schema['default'] === null
      ? ''
      : `=${JSON.stringify(schema['default'])}`
  const { anyOf, minimum, maximum } = schema as {
    anyOf?: JsonSchema[]
    minimum?: number
    maximum?: number
  }
  if (anyOf) {
    const others = anyOf.filter(({ type }) => type !== 'null')
    if (others.length > 1) return 'any'
    return `${typeOf(others[0]!)}${others.length < anyOf.length ? '?' : ''}`
  }
  const bounds = minimum === undefined ? '' : ` ${minimum}..${maximum}`
  return `${plainType(schema)}${bounds}${suffix}`
}

function plainType(schema: JsonSchema): string {
  const { $ref, type, format, items, additionalProperties } = schema
  if (typeof $ref === 'string') return $ref.split('/').at(-1)!
  if (Array.isArray(schema['enum'])) return schema['enum'].join('|')
  if (schema['const'] !== undefined) return schema['const'] as string
  if (type === 'array') return `${typeOf(items as JsonSchema)}[]`
  if (type === 'object' && typeof additionalProperties === 'object')
    return `{${typeOf(additionalProperties as JsonSchema)}}`
  return (format ?? type) as string
}
