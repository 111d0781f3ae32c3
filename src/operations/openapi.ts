import { controlProblem } from '../contract/control.js'
import { httpValidationError } from '../contract/validation-error.js'
import { anything } from '../contract/validation/anything.js'
import type { Components, JsonSchema } from '../contract/validation/schema.js'
import { inOrder } from '../contract/validation/validate.js'
import type { Api } from '../contract/exchange.js'
import { operation, type Operation } from './operation.js'

/** The OpenAPI 3.1 document of one API, made from the table: it cannot tell of what is not there. */
export function describeApi(operations: readonly Operation[], api: Api): JsonSchema {
  const components: Components = {}
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const row of operations) {
    if (row.host !== api || row.unlisted) continue
    const described = describeOperation(row, components)
    paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: described }
  }
  return {
    openapi: '3.1.0',
    info: { title: TITLES[api], version: '1.0.0' },
    paths,
    components: {
      schemas: inOrder(components),
      securitySchemes: { HTTPBearer: { type: 'http', scheme: 'bearer' } },
    },
  }
}

const TITLES = {
  training: 'Serverless Training',
  inference: 'Serverless Inference',
  control: 'Emulator Control',
} as const

function describeOperation(row: Operation, components: Components): JsonSchema {
  const { params, query, body } = row
  const parameters = [params, query].flatMap((part) => part?.describe(components) ?? [])
  const checked = parameters.length > 0 || body !== undefined
  return {
    tags: [row.tag],
    summary: row.summary,
    operationId: operationIdOf(row),
    ...(row.auth !== 'open' && { security: [{ HTTPBearer: [] }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: json(body.describe(components)) } }),
    responses: {
      '200': {
        description: 'Successful Response',
        content: json(row.response.describe(components)),
      },
      ...(checked && misfitOf(row, components)),
    },
  }
}

/** What is said of a request that does not fit the schemas. */
function misfitOf({ host }: Operation, components: Components): JsonSchema {
  const description = 'Validation Error'
  if (host === 'control') {
    return { '400': { description, content: json(controlProblem.describe(components)) } }
  }
  return { '422': { description, content: json(httpValidationError.describe(components)) } }
}

function json(schema: JsonSchema): JsonSchema {
  return { 'application/json': { schema } }
}

/** As the framework makes it: the function's name, the path with what is no letter or digit as `_`. */
function operationIdOf({ name, path, method }: Operation): string {
  return `${name}${path.replaceAll(/\W/g, '_')}_${method.toLowerCase()}`
}

function openApiRow(id: string, host: Api): Operation {
  return operation({
    id,
    host,
    method: 'GET',
    path: '/openapi.json',
    name: 'openapi',
    tag: 'description',
    summary: 'OpenAPI document',
    auth: 'open',
    unlisted: true,
    response: anything,
    run: ({ operations }) => describeApi(operations, host),
  })
}

export const describeTrainingApi = openApiRow('describeTrainingApi', 'training')
export const describeInferenceApi = openApiRow('describeInferenceApi', 'inference')
