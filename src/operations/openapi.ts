import { httpValidationError } from '../contract/validation-error.js'
import { anything } from '../contract/validation/anything.js'
import type { Components, JsonSchema } from '../contract/validation/schema.js'
import { inOrder } from '../contract/validation/validate.js'
import type { Host } from '../contract/exchange.js'
import { operation, type Operation } from './operation.js'

/** The OpenAPI 3.1 document of one host, made from the table: it cannot tell of what is not there. */
export function describeHost(operations: readonly Operation[], host: Host): JsonSchema {
  const components: Components = {}
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const row of operations) {
    if (row.host !== host || row.unlisted) continue
    const described = describeOperation(row, components)
    paths[row.path] = { ...paths[row.path], [row.method.toLowerCase()]: described }
  }
  return {
    openapi: '3.1.0',
    info: { title: TITLES[host], version: '1.0.0' },
    paths,
    components: {
      schemas: inOrder(components),
      securitySchemes: { HTTPBearer: { type: 'http', scheme: 'bearer' } },
    },
  }
}

const TITLES = { training: 'Serverless Training', inference: 'Serverless Inference' } as const

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
      ...(checked && {
        '422': {
          description: 'Validation Error',
          content: json(httpValidationError.describe(components)),
        },
      }),
    },
  }
}

function json(schema: JsonSchema): JsonSchema {
  return { 'application/json': { schema } }
}

/** As the framework makes it: the function's name, the path with what is no letter or digit as `_`. */
function operationIdOf({ name, path, method }: Operation): string {
  return `${name}${path.replaceAll(/\W/g, '_')}_${method.toLowerCase()}`
}

function openApiRow(id: string, host: Host): Operation {
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
    run: ({ operations }) => describeHost(operations, host),
  })
}

export const describeTrainingApi = openApiRow('describeTrainingApi', 'training')
export const describeInferenceApi = openApiRow('describeInferenceApi', 'inference')
