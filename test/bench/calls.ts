import { jsonHeaders } from '../support/api-client.js'

/** The calls that are measured. Each is a column of the table. */
export const JOBS_TO_DO = ['get', 'post', 'chat', 'stream', 'firstPage', 'deepPage'] as const
export type JobToDo = (typeof JOBS_TO_DO)[number]

export interface Call {
  method: 'GET' | 'POST'
  path: string
  body?: string
  /** The expected status. Default: 200. */
  status?: number
  /** A text that a correct answer contains. */
  holds: string
  /** A body that a server with validation must refuse. */
  wrong?: string
}

export type Calls = Partial<Record<JobToDo, Call>>

const headers = jsonHeaders()

export async function ask(url: string, call: Call): Promise<Response> {
  const { method, path, body } = call
  return fetch(url + path, { method, headers, ...(body !== undefined && { body }) })
}

/** The error of a server that answered incorrectly. */
export class WrongAnswerError extends Error {
  override readonly name = 'WrongAnswerError'
}

/** Makes one call. Throws if the answer is wrong or if a wrong body is accepted. */
export async function verify(name: string, url: string, call: Call): Promise<void> {
  const response = await ask(url, call)
  const text = await response.text()
  const { status = 200, holds, wrong } = call
  if (response.status !== status || !text.includes(holds)) {
    const told = `${response.status} ${text.slice(0, 500)}`
    throw new WrongAnswerError(`${name} answered ${call.method} ${call.path} with ${told}`)
  }
  if (wrong === undefined) return
  const refused = await ask(url, { ...call, body: wrong })
  await refused.text()
  if (refused.status < 400 || refused.status > 499) {
    const told = `${refused.status}, though its body is wrong`
    throw new WrongAnswerError(`${name} answered ${call.method} ${call.path} with ${told}`)
  }
}
