import { jsonHeaders } from '../support/api-client.js'

export interface Call {
  method: 'GET' | 'POST'
  path: string
  body?: string
  /** Makes another body of the same size each time, so that nothing that is kept for an earlier one helps. */
  fresh?: (() => string) | undefined
  /** The expected status. Default: 200. */
  status?: number
  /** A text that a correct answer contains. */
  holds: string
}

/** The connection does not stay open: a server closes it when it is idle, perhaps as the next call is made. */
const headers = { ...jsonHeaders(), connection: 'close' }

export async function ask(url: string, call: Call): Promise<Response> {
  const { method, path, body } = call
  return fetch(url + path, { method, headers, ...(body !== undefined && { body }) })
}

/** The error of a server that answered incorrectly. */
export class WrongAnswerError extends Error {
  override readonly name = 'WrongAnswerError'
}

/** Throws if an answer is not the one that the call expects. */
export function check(
  name: string,
  { method, path, status = 200, holds }: Call,
  answer: { status: number; text: string },
): void {
  if (answer.status === status && answer.text.includes(holds)) return
  const told = `${answer.status} ${answer.text.slice(0, 500)}`
  throw new WrongAnswerError(`${name} answered ${method} ${path} with ${told}`)
}

/** Makes one call, and returns the text of its answer. Throws if the answer is wrong. */
export async function verify(name: string, url: string, call: Call): Promise<string> {
  const response = await ask(url, call)
  const text = await response.text()
  check(name, call, { status: response.status, text })
  return text
}
