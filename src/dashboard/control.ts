/** Raised where the control API refuses or cannot be reached; `status` is then 0. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Reads from the control API. The path is relative to `/_emulator/`. Raises `ControlError`. */
export function read<T>(path: string): Promise<T> {
  return call<T>('GET', path)
}

/** Changes something over the control API. Raises `ControlError`. */
export function send<T>(method: 'POST' | 'DELETE', path: string, body?: unknown): Promise<T> {
  return call<T>(method, path, body)
}

/** Sends the token with every call from now on, for as long as the tab lives. */
export function keepControlToken(token: string): void {
  sessionStorage.setItem(TOKEN, token)
}

const TOKEN = 'svtrain-control-token'

async function call<T>(method: string, path: string, body?: unknown): Promise<T> {
  const headers = new Headers({ accept: 'application/json' })
  const token = sessionStorage.getItem(TOKEN)
  if (token !== null) headers.set('authorization', `Bearer ${token}`)
  if (body !== undefined) headers.set('content-type', 'application/json')
  const init = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) }
  // Relative, so that the page works wherever the emulator is mounted.
  const answer = await fetch(path, init).catch(() => undefined)
  if (!answer) throw new ControlError(0, 'The emulator does not answer. Is it still running?')
  const told = (await answer.json().catch(() => undefined)) as unknown
  if (!answer.ok) throw new ControlError(answer.status, detailOf(told) ?? `Status ${answer.status}`)
  return told as T
}

function detailOf(told: unknown): string | undefined {
  if (typeof told !== 'object' || told === null || !('detail' in told)) return undefined
  return typeof told.detail === 'string' ? told.detail : JSON.stringify(told.detail)
}
