import { beginningOf } from '../../../base/text/shortened.js'
import type { Answer } from './definition.js'

/** The head of an answer whose body is sent in part. Its `content-length` announces the whole body. */
export function headOf({ status, headers, body }: Response): Omit<Stream, 'chunks'> {
  const length = new TextEncoder().encode(body).length
  return {
    kind: 'stream',
    status,
    headers: { ...headers, 'content-length': String(length) },
  }
}

export function halfOf(text: string): string {
  return beginningOf(text, text.length >> 1)
}

type Response = Extract<Answer, { kind: 'response' }>
type Stream = Extract<Answer, { kind: 'stream' }>
