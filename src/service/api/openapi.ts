import type { Api } from '../contract/exchange.js'
import {
  controlProblem,
  detailedError,
  envelopedError,
  httpValidationError,
} from '../contract/refusal.js'
import { defaultMessage } from '../contract/default-messages.js'
import { anything } from '../contract/pydantic/scalars.js'
import { dictionary } from '../contract/pydantic/containers.js'
import { documentedAs } from '../contract/pydantic/documented-as.js'
import type { Components, JsonSchema, Schema } from '../contract/pydantic/schema.js'
import { inOrder } from '../contract/pydantic/validate.js'
import { operation, type Operation } from './operation.js'
import { CHAT_TAG } from './tags.js'

/** Makes the OpenAPI 3.1 document of one API from its table. */
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
  return {
    tags: [row.tag],
    summary: row.summary,
    operationId: operationIdOf(row),
    ...(row.auth !== 'open' && { security: [{ HTTPBearer: [] }] }),
    ...(parameters.length > 0 && { parameters }),
    ...(body && { requestBody: { required: true, content: json(body.describe(components)) } }),
    responses: {
      '200': { description: 'Successful Response', content: contentOf(row, components) },
      ...Object.fromEntries(
        refusalsOf(row).map((status) => [status, describeRefusal(row, status, components)]),
      ),
    },
  }
}

function contentOf(row: Operation, components: Components): JsonSchema {
  const [first, ...others] = row.contentTypes ?? ['application/json']
  return {
    [first]: { schema: row.response.describe(components) },
    ...Object.fromEntries(others.map((type) => [type, { schema: {} }])),
  }
}

/** The error statuses of the framework, the router and scenarios. */
function refusalsOf({ auth, host, params, query, body, refusals = [] }: Operation): number[] {
  const isOfService = host !== 'control'
  const validationStatus = host === 'training' ? 422 : 400
  const all = [
    ...refusals,
    ...((params ?? query ?? body) ? [validationStatus] : []),
    ...(params ? [404] : []),
    ...(auth === 'control-token' ? [401, 403] : []),
    ...(isOfService && auth !== 'open' ? [401] : []),
    ...(isOfService && body ? [400, 413] : []),
    // 405: another method on the same path. 429: the limits of a scenario.
    ...(isOfService ? [405, 429] : []),
  ]
  return [...new Set(all)].sort((one, other) => one - other)
}

function describeRefusal(row: Operation, status: number, components: Components): JsonSchema {
  const { host, tag, response } = row
  if (status === 422) return refusal('Validation Error', httpValidationError, components)
  if (host === 'control') {
    const description = status === 400 ? 'Validation Error' : CONTROL_REFUSALS[status]!
    return refusal(description, controlProblem, components)
  }
  // This refusal has the same body as an answer.
  if (status === 503) return refusal(defaultMessage(status, host), response, components)
  const isEnveloped = host === 'inference' || (tag === CHAT_TAG && status === 404)
  return refusal(
    defaultMessage(status, host),
    isEnveloped ? envelopedError : detailedError,
    components,
  )
}

/** What the statuses of the control API mean. */
export const CONTROL_REFUSALS: Readonly<Record<number, string>> = {
  400: 'A key, parameter or value is wrong. The message names it, and the nearest right one.',
  401: 'The control token is missing or wrong.',
  403: 'This caller may not use the control API.',
  404: 'There is no such thing.',
  408: 'What the call waits for did not happen in time.',
  409: 'The current state does not allow it. The message says why.',
  507: 'A file cannot be written, such as on a full disk.',
}

function refusal(description: string, schema: Schema<unknown>, components: Components): JsonSchema {
  return { description, content: json(schema.describe(components)) }
}

function json(schema: JsonSchema): JsonSchema {
  return { 'application/json': { schema } }
}

/** Like the framework: the function's name, the path with `_` for other characters, and the method. */
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
    response: documentedAs(anything, dictionary(anything)),
    run: ({ operations }) => describeApi(operations, host),
  })
}

export const describeTrainingApi = openApiRow('describeTrainingApi', 'training')
export const describeInferenceApi = openApiRow('describeInferenceApi', 'inference')
