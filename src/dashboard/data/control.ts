import type { AnswerOf, Call, Route } from '../../emulator/control/client/call.js'
import { remember, remembered } from './storage.js'
import { world } from './world.js'

/** Thrown when the control API refuses a call, or cannot be reached. In that case, `status` is 0. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Whether the emulator does not have what was asked for. */
export function isMissing(error: Error | undefined): boolean {
  return error instanceof ControlError && error.status === 404
}

const TOKEN = 'svtrain-control-token'
let token = remembered('sessionStorage', TOKEN)

interface CallParts {
  params?: Readonly<Record<string, string>> | undefined
  query?: object
  body?: unknown
}

/**
 * Calls the control API: `call('GET /jobs/{job_id}', { params: { job_id } })`.
 *
 * @throws {ControlError} When the call is refused or nothing answers.
 */
export const call: Call = (route, ...[sent]) => callRow(route, sent as CallParts | undefined)

/** The same for a row that only the caller's caller knows, so that no type says which parts it takes. */
export async function callRow<R extends Route>(
  route: R,
  { params = {}, query = {}, body }: CallParts = {},
): Promise<AnswerOf<R>> {
  const [method, pattern] = route.split(' ') as [string, string]
  const filled = pattern.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name]!),
  )
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = given.length === 0 ? '' : `?${new URLSearchParams(given)}`
  const headers = new Headers({ accept: 'application/json' })
  if (token !== null) headers.set('authorization', `Bearer ${token}`)
  if (body !== undefined) headers.set('content-type', 'application/json')
  if (world !== undefined && route !== LIST_OF_WORLDS) headers.set('svtrain-world', world)
  const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) }
  // A relative path works wherever the emulator is mounted.
  const response = await fetch(filled.slice(1) + search, init).catch(() => undefined)
  if (!response) throw new ControlError(0, 'The emulator does not answer. Is it still running?')
  const type = response.headers.get('content-type') ?? ''
  if (response.ok && type.startsWith('application/octet-stream')) return response.blob()
  const isPage = type.startsWith('text/html')
  const answer = await (isPage ? response.text() : response.json()).catch(() => undefined)
  if (response.ok && answer !== undefined) return answer
  throw new ControlError(response.status, detailOf(answer) ?? `Status ${response.status}`)
}

/** The one call that must work if the world of the address does not exist. */
const LIST_OF_WORLDS = 'GET /worlds'

/** Whether calls need a token, and have one. */
export function hasControlToken(): boolean {
  return token !== null
}

/** Sends the token with every later call, until the tab is closed. */
export function keepControlToken(saved: string): void {
  token = saved
  remember('sessionStorage', TOKEN, saved)
  for (const notify of tokenListeners) notify()
}

const tokenListeners = new Set<() => void>()

/** Calls `notify` whenever the user saves a token. Returns how to stop. */
export function onControlToken(notify: () => void): () => void {
  tokenListeners.add(notify)
  return () => void tokenListeners.delete(notify)
}

function detailOf(answer: unknown): string | undefined {
  if (typeof answer !== 'object' || answer === null || !('detail' in answer)) return undefined
  return typeof answer.detail === 'string' ? answer.detail : JSON.stringify(answer.detail)
}
