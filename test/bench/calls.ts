import { jsonHeaders } from '../support/api-client.js'

/** What a server may be asked for: each is a column of the table. */
export const JOBS_TO_DO = ['get', 'post', 'chat', 'stream', 'firstPage', 'deepPage'] as const
export type JobToDo = (typeof JOBS_TO_DO)[number]

export interface Call {
  method: 'GET' | 'POST'
  path: string
  body?: string
  /** What it is answered with. Default: 200. */
  status?: number
  /** A text that a right answer holds. */
  holds: string
  /** A body that a server that checks what it is sent has to refuse. */
  wrong?: string
}

export type Calls = Partial<Record<JobToDo, Call>>

const headers = jsonHeaders()

export async function ask(url: string, call: Call): Promise<Response> {
  const { method, path, body } = call
  return fetch(url + path, { method, headers, ...(body !== undefined && { body }) })
}

/** Raised where a server did not do what it is measured for. */
export class WrongAnswerError extends Error {
  override readonly name = 'WrongAnswerError'
}

/** Asks once, and throws where the answer is not the right one, or a wrong body is not refused. */
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
