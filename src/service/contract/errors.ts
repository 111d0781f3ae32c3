import type { Api } from './exchange.js'
import { defaultMessage } from './default-messages.js'

/**
 * A refusal that the API sends to its client. Operations return it. They throw errors only for the developer who
 * uses the emulator.
 */
export class ApiError {
  readonly status: number
  readonly message: string
  readonly options: ApiErrorOptions

  constructor(status: number, message: string, options: ApiErrorOptions = {}) {
    this.status = status
    this.message = message
    this.options = options
  }

  /**
   * Returns the body for a host: `{"detail": …}` on the training host, `{"error": {…}}` on the inference
   * host, whose chat layer also answers on the training host. See docs/explain/contract.md#errors.
   */
  bodyFor(host: Api): unknown {
    const form = this.options.form ?? (host === 'inference' ? 'envelope' : 'detail')
    if (form === 'graphql') return { errors: [{ message: this.message }] }
    if (form === 'detail') return { detail: this.message }
    const { type, param = null, code = this.status } = this.options
    const named = type ?? errorTypes[this.status] ?? 'APIError'
    return { error: { message: this.message, type: named, param, code } }
  }
}

interface ApiErrorOptions {
  headers?: Readonly<Record<string, string>>
  /**
   * The form of the body: `{"error": {…}}`, `{"errors": [{…}]}` as runs and artifacts have it, or `{"detail": …}`.
   * Default: `envelope` on the inference host, and `detail` on the others.
   */
  form?: 'detail' | 'envelope' | 'graphql' | undefined
  type?: string
  param?: string | null
  code?: string | number
  /** What the journal says, which the client does not get. Default: the message. */
  reason?: string | undefined
}

const errorTypes: Readonly<Record<number, string>> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  403: 'PermissionDeniedError',
  404: 'NotFoundError',
  405: 'MethodNotAllowedError',
  409: 'ConflictError',
  413: 'RequestTooLargeError',
  422: 'UnprocessableEntityError',
  429: 'RateLimitError',
  500: 'InternalServerError',
  503: 'ServiceUnavailableError',
}

/**
 * All refusals of operations, with their messages. Those of the framework (unknown route, wrong method, no key)
 * are the real ones. We chose the others, because the service documents none: see docs/explain/contract.md#undocumented.
 */
export const apiErrors = {
  notAuthenticated: (host: Api) =>
    new ApiError(401, defaultMessage(401, host), {
      headers: { 'www-authenticate': 'Bearer' },
    }),
  /** For runs and artifacts. */
  noPlatformKey: (problem: string) =>
    new ApiError(
      401,
      `${problem} Send an API key in the header Authorization: as "Bearer <key>", or as the password of "Basic".`,
      { form: 'graphql', headers: { 'www-authenticate': 'Basic realm="api"' } },
    ),
  /** The response of the framework before its version 0.122. `auth.missingStatus` selects it. */
  forbiddenWithoutKey: (message: string) => new ApiError(403, message),
  unknownRoute: (host: Api) => new ApiError(404, defaultMessage(404, host)),
  methodNotAllowed: (allow: string) =>
    new ApiError(405, defaultMessage(405, 'training'), { headers: { allow } }),
  bodyTooLarge: (limit: number) => new ApiError(413, `Request body is larger than ${limit} bytes`),
  unreadableBody: () => new ApiError(400, 'There was an error parsing the body'),
  /** @param reason - For the journal. */
  internal: (host: Api, reason?: string) =>
    new ApiError(500, defaultMessage(500, host), { reason }),
  entityNotFound: (entity: string) => new ApiError(404, `Entity not found: "${entity}"`),
  modelNotFound: () => new ApiError(404, 'Model not found'),
  trainingJobNotFound: () => new ApiError(404, 'Training job not found'),
  checkpointCursorNotFound: (after: string) =>
    new ApiError(404, `Checkpoint not found: no checkpoint of this model had the id "${after}"`),
  eventCursorNotFound: (after: string) =>
    new ApiError(404, `Event not found: no event of this training job has the id "${after}"`),
  modelExists: (name: string, project: string) =>
    new ApiError(409, `Model "${name}" already exists in project "${project}"`),
  /** For the control API. */
  worldReplaced: () =>
    new ApiError(
      409,
      'A reset or a snapshot replaced the world during this call. Nothing of the call is left. Send it again.',
    ),
  trainingDataUnavailable: (reason: string) =>
    new ApiError(400, `Training data is not available: ${reason}`),
  servedModelNotFound: (model: string) =>
    new ApiError(404, `The model \`${model}\` does not exist.`, {
      form: 'envelope',
      param: 'model',
    }),
  /** For the chat layer, which is the same on both hosts. */
  invalidChat: (message: string, param: string | null, type?: string) =>
    new ApiError(400, message, { form: 'envelope', param, ...(type !== undefined && { type }) }),
  invalidInferenceRequest: (message: string, param: string | null) =>
    new ApiError(400, message, { param }),
} as const
