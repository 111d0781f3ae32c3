import { jsonHeaders } from '../support/api-client.js'

/** The calls that are measured. Each is a column of the table. */
export const JOBS_TO_DO = ['get', 'post', 'chat', 'stream', 'firstPage', 'deepPage'] as const
export type JobToDo = (typeof JOBS_TO_DO)[number]

export interface Call {
  method: 'GET' | 'POST'
  path: string
  body?: string
  /** Makes another body of the same size each time, so that nothing that is kept for an earlier one helps. */
  fresh?: () => string
  /** The expected status. Default: 200. */
  status?: number
  /** A text that a correct answer contains. */
  holds: string
  /** A body that a server with validation must refuse. */
  wrong?: string
}

export type Calls = Partial<Record<JobToDo, Call>>

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

/** Makes one call. Throws if the answer is wrong or if a wrong body is accepted. */
export async function verify(name: string, url: string, call: Call): Promise<void> {
  const response = await ask(url, call)
  check(name, call, { status: response.status, text: await response.text() })
  const { wrong } = call
  if (wrong === undefined) return
  const refused = await ask(url, { ...call, body: wrong })
  await refused.text()
  if (refused.status < 400 || refused.status > 499) {
    const told = `${refused.status}, though its body is wrong`
    throw new WrongAnswerError(`${name} answered ${call.method} ${call.path} with ${told}`)
  }
}
