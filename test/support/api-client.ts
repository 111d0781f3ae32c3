import { asking, checkAnswer, isInProcess } from './check-answer.js'

/** The base model that every scenario serves. */
export const BASE_MODEL = 'example/base-8b-instruct'

/** The header with an API key. */
export function bearer(key = 'any-key'): { authorization: string } {
  return { authorization: `Bearer ${key}` }
}

/** The headers of a JSON request with an API key. */
export function jsonHeaders(key?: string): { authorization: string; 'content-type': string } {
  return { ...bearer(key), 'content-type': 'application/json' }
}

/** Makes one call of an `ApiClient` with another API key. */
export function withKey(key: string): CallOptions {
  return { headers: bearer(key) }
}

/** Calls the API of an emulator, over any transport. */
export interface ApiClient extends HostClient {
  /** Calls the inference host. */
  inference: HostClient
}

/** Calls the training host: `get('/preview/models/…')`. Fails for no status. */
export interface HostClient {
  get: (path: string, options?: CallOptions) => Promise<Answer>
  /** A body that is a string is sent as it is; any other body is sent as JSON. */
  post: (path: string, body?: unknown, options?: CallOptions) => Promise<Answer>
  delete: (path: string, body?: unknown, options?: CallOptions) => Promise<Answer>
}

export interface CallOptions {
  /** Headers to add or to replace. A header that is `undefined` is not sent. */
  headers?: Record<string, string | undefined>
}

export interface Answer {
  status: number
  headers: Headers
  /** Parsed if the answer is JSON, and else the text. */
  // Tests know what they asked for.
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any
}

/** The addresses and the API key of an emulator. An `Emulator` has them. */
export interface Target {
  readonly trainingUrl: string
  readonly inferenceUrl: string
  readonly apiKey: string
}

/**
 * Creates a client that calls an emulator with `send`. If the emulator is in this process, a call fails when its answer
 * does not have exactly what the schema of its operation has.
 */
export function apiClient(target: Target, send: typeof fetch = fetch): ApiClient {
  return {
    ...hostClient(target, () => target.trainingUrl, send),
    inference: hostClient(target, () => target.inferenceUrl, send),
  }
}

/** Creates a client that calls an emulator in this process, without a port. */
export function clientOf(emulator: Target & { fetch: typeof fetch }): ApiClient {
  return apiClient(emulator, emulator.fetch)
}

/** An emulator gets another address when it listens, so `base` is read for each call. */
function hostClient(target: Target, base: () => string, send: typeof fetch): HostClient {
  const call = async (method: string, path: string, { body, options }: Sent): Promise<Answer> => {
    const headers: Record<string, string | undefined> = {
      ...bearer(target.apiKey),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...options?.headers,
    }
    const url = new URL(base() + path)
    const asked = isInProcess(target) ? asking(target, method, url.pathname) : undefined
    const response = await send(base() + path, {
      method,
      headers: Object.entries(headers).filter((entry): entry is [string, string] => {
        return entry[1] !== undefined
      }),
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type') === 'application/json'
    const answer: unknown = isJson ? JSON.parse(text) : text
    if (asked && isJson && response.status === 200) checkAnswer(asked, answer)
    return { status: response.status, headers: response.headers, body: answer }
  }
  return {
    get: (path, options) => call('GET', path, { options }),
    post: (path, body, options) => call('POST', path, { body, options }),
    delete: (path, body, options) => call('DELETE', path, { body, options }),
  }
}

interface Sent {
  body?: unknown
  options?: CallOptions | undefined
}
